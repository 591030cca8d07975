"""Packages that import their public names on first use (PEP 562), because scikit-learn takes long."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec


def lazily(package, file):
    """Make the `__getattr__`, `__dir__` and `__all__` of a package from its stub, ``__init__.pyi``.

    The stub has a line for each public name: ``from .module import name as name``. Type checkers read it too.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    file : str
        Its ``__file__``.

    Returns
    -------
    __getattr__, __dir__ : callables
        They also find the modules of the package, as if these had been imported.
    __all__ : list of str
    """
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as stub:
        modules = {name: module for module, name in re.findall(r"from (\S+) import (\w+)", stub.read())}

    def find(name):
        if name in modules:
            found = getattr(import_module(modules[name], package), name)
        elif not name.startswith("_") and find_spec(f"{package}.{name}"):
            found = import_module(f"{package}.{name}")
        else:  # Python asks for modules of private names, too, before it looks for their files
            hint = "" if name.startswith("_") else _where_to_find(name, modules)
            # Only `from fastsvm import` drops the message of an AttributeError.
            by_import = hint and sys._getframe(1).f_code.co_name == "_handle_fromlist"
            kind = ImportError if by_import else AttributeError
            raise kind(f"module {package!r} has no attribute {name!r}{hint}", name=name)
        vars(sys.modules[package])[name] = found
        return found

    def names():
        return sorted({*vars(sys.modules[package]), *modules})

    return find, names, sorted(name for name in modules if not name.startswith("_"))


def _where_to_find(name, public):
    """Return a hint for a message: longer names in this package, and the package that has the name."""
    longer = [each for each in public if each.startswith(name) and len(name) > 3]
    place = "fastsvm_apps" if name in ("sentiment", "cells") else _place_of(name)
    hint = f"; did you mean {' or '.join(longer)}?" if longer else ""
    return f"{hint or ';'} {place} has it: from {place} import {name}" if place else hint


def _place_of(name):
    """Return the package of this library that has a public name, or None."""
    from pathlib import Path

    root = Path(__file__).parents[1]
    for stub in sorted(root.glob("*/__init__.pyi")):
        if f" as {name}\n" in stub.read_text(encoding="utf-8"):
            return f"{root.name}.{stub.parent.name}"
    return None
