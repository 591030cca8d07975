"""What is public: names of packages with what they take, options of commands, programs of `python -m`."""

import importlib
import inspect
from importlib.util import find_spec
from pathlib import Path

LIST = Path(__file__).with_suffix(".txt")
OPTIONAL = "fastsvm.onnx"  # needs packages that few install
PYTHON_APPS = "cells", "sentiment"  # their names are in no stub: a command line imports no other package
PROGRAMS = {
    "fastsvm": "vectors",
    "fastsvm-cells": "cells",
    "fastsvm-sentiment": "sentiment",
    "fastsvm-studies": "studies",
}


def takes(thing):
    """Parameters, their kinds and defaults, however the class or function is built; annotations left out."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return str(inspect.Signature(parameters)).split(" at 0x")[0]


def of_class(kind):
    """The public methods and properties of a class that this project writes, with what they take."""
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        function = inspect.unwrap(getattr(value, "fget", None) or getattr(value, "__func__", value))
        if not name.startswith("_") and getattr(function, "__module__", "").startswith("fastsvm"):
            yield f"{name}{'' if isinstance(value, property) else takes(function)}"


def options(command, place):
    """The options and arguments of a command and of those below it."""
    if hasattr(command, "commands"):
        for name in command.list_commands(None):
            yield from options(command.get_command(None, name), f"{place} {name}")
    for each in command.params:
        yield f"{place} {'/'.join([*each.opts, *each.secondary_opts])}"


def names():
    """All of it, a line each, sorted."""
    found = []
    for top in "fastsvm", "fastsvm_apps":
        root = Path(importlib.import_module(top).__file__).parent
        folders = {
            file: ".".join([top, *file.parent.relative_to(root).parts]) for file in root.rglob("__*.py*")
        }
        found += [f"python -m {package}" for file, package in folders.items() if file.name == "__main__.py"]
        public = {package for file, package in folders.items() if file.name == "__init__.pyi"}
        for package in public | {f"{top}.{each}" for each in PYTHON_APPS if top == "fastsvm_apps"}:
            if package == OPTIONAL and not find_spec("skl2onnx"):
                continue
            module = importlib.import_module(package)
            for name in module.__all__:
                thing = getattr(module, name)
                copied = package == "fastsvm.drop_in"  # scikit-learn's, of the version that is here
                found.append(f"{package}.{name}{'' if copied else takes(thing)}")
                if inspect.isclass(thing) and not copied:
                    found += [f"{package}.{name}.{each}" for each in of_class(thing)]
    for program, app in PROGRAMS.items():
        found += options(importlib.import_module(f"fastsvm_apps.{app}.cli").main, program)
    return sorted(found)
