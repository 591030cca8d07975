"""Packages whose names are imported when they are asked for (PEP 562), because scikit-learn takes long."""

import sys
from importlib import import_module
from importlib.util import find_spec


def lazily(package, origins):
    """Make the `__getattr__` and `__dir__` of a package.

    Parameters
    ----------
    package : str
    origins : dict of str to str
        Of each module, relative to the package, the names that come from it, with blanks between them.

    Returns
    -------
    __getattr__, __dir__ : callables
        Modules of the package are found as well, as if they had been imported.
    """
    modules = {name: module for module, names in origins.items() for name in names.split()}

    def find(name):
        if name in modules:
            found = getattr(import_module(modules[name], package), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}"):
            found = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        vars(sys.modules[package])[name] = found
        return found

    def names():
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names
