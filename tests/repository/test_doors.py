"""Who may import whom, read from the sources, and what may lie at the top of the repository.

The rooms of fastsvm are in layers, and a room imports only from the layers below it. The apps see the
public names of fastsvm alone, and their command lines start without anything heavy.
"""

import ast
import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib.util import resolve_name
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "fastsvm").is_dir():
    pytest.skip("needs the sources: run it in a clone", allow_module_level=True)
PACKAGES = {"fastsvm": ROOT / "fastsvm", "fastsvm_apps": ROOT / "apps"}

# From the ground up. The stubs of packages list public names, wherever they are defined.
LAYERS = [
    {"_utils"},
    {"solvers"},
    {"fitting"},
    {"text"},
    {"model_files", "io"},
    {"estimators"},
    {"dask", "drop_in"},
    {"onnx"},
    {"__main__"},
]
LAYER = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}

# The rooms of each app, from the ground up. `common`, which they share, has none.
APP_LAYERS = {
    "vectors": [{"commands"}],
    "sentiment": [{"data"}, {"measures"}, {"learning"}, {"jobs"}, {"output"}, {"commands"}],
    "cells": [{"data"}, {"finding"}, {"measuring"}, {"learning"}, {"jobs"}, {"output"}, {"commands"}],
    "studies": [
        *({"data"}, {"report"}, {"race"}, {"documents"}, {"commands"}),
    ],
}
APP_LAYER = {
    f"fastsvm_apps.{app}.{room}": layer
    for app, layers in APP_LAYERS.items()
    for layer, rooms in enumerate(layers)
    for room in rooms
}
# The app that draws and tries with the others' rooms; no other app sees another.
SEE_APPS = {"studies"}

# Imported inside the functions that need them, or only at start-up of a command line.
HEAVY = {"click", "cv2", "matplotlib", "dask"}
# But by these modules of the apps.
MAY = {
    "click": r"common(\..+)?|[^.]+\.(api|cli|settings|commands(\..+)?)",
    "cv2": r"cells\.(data\.image_(decoding|reader|threads)|(finding|measuring|learning|jobs|output)\..+)",
}

# Parameters make their solvers, and import them when they do.
MAKES = {"fastsvm.solvers.params"}

# What was left out is named before a result: by `tell`, or where the rows stand above it.
NAMES_SKIPPED = {
    f"fastsvm_apps.{module}"
    for module in ("common.printing", "common.sections", "sentiment.commands.predict")
}

# What a program that imports both this and skl2onnx needs from above, and `python -m fastsvm`.
FROM_ABOVE = {
    ("fastsvm.drop_in.patching", "fastsvm.onnx"),
    ("fastsvm.__main__", "fastsvm_apps.vectors.cli.main"),
}

# What is for estimators only: it takes longer to import than most fits.
SKLEARN = {"sklearn", "joblib", "pandas"}

# What is for the commands that serve pages only.
SERVER = {"uvicorn", "starlette", "httptools"}
COMMAND = re.compile(r"fastsvm_apps\.\w+\.commands\.[a-z]\w*")
SERVERS = {"fastsvm_apps.cells.commands.review", "fastsvm_apps.sentiment.commands.serve"}

AT_ROOT = {
    *("setup.py", "pyproject.toml", "MANIFEST.in", "Justfile"),
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"),
    *("fastsvm", "apps", "tests", "data", "benchmarks", "docs"),
}


class Import(NamedTuple):
    """One imported name, absolute, and whether it is imported as soon as the module is."""

    name: str
    at_once: bool


def imports(module, source, is_package=False, cython=False):
    """List what a module's source imports, as full dotted names down to the imported attribute.

    A text that is the name of a module counts as an import of it: tables have them, for import_module.
    """
    package = module if is_package else module.rpartition(".")[0]
    return list(_cython_imports(package, source) if cython else _python_imports(package, ast.parse(source)))


def _python_imports(package, node, at_once=True):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(alias.name, at_once)
        elif isinstance(child, ast.ImportFrom):
            origin = resolve_name("." * child.level + (child.module or ""), package)
            for alias in child.names:
                yield Import(f"{origin}.{alias.name}", at_once)
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            is_name = re.fullmatch(r"[\w.]+\.\w+|\.\w+", child.value)
            name = resolve_name(child.value, package) if is_name else ""
            if name in MODULES and not f"{package}.".startswith(f"{name}."):  # files lie in a package, too
                yield Import(name, False)
        else:
            later = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or (
                isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            )
            yield from _python_imports(package, child, at_once and not later)


def _cython_imports(package, source):
    for line in source.splitlines():
        if found := re.match(r"\s*from\s+([\w.]+)\s+c?import\s+\(?([\w, ]*)", line):
            origin = resolve_name(found[1], package)
            for name in found[2].split(","):
                yield Import(f"{origin}.{''.join(name.split()[:1])}", True)
        elif found := re.match(r"\s*c?import\s+([\w., ]+)", line):
            for name in found[1].split(","):
                yield Import(name.split()[0], True)


def room(name):
    """Tell the room of fastsvm that a dotted name lies in: solvers of fastsvm.solvers._rows."""
    return name.split(".")[1] if name.startswith("fastsvm.") else None


def broken_doors(module, found, public):
    """List the imports of one module that go through a closed door."""
    for name, at_once in found:
        top = name.partition(".")[0]
        own, other = room(module), room(name)
        if (module, name) in FROM_ABOVE:
            continue
        if top == "fastsvm_apps" and not module.startswith("fastsvm_apps"):
            yield f"{module} imports the apps: {name}"
        if top in HEAVY and at_once and not may_import(module, top):
            yield f"{module} imports {name} at start-up"
        open_to_apps = {top, *public}
        if (
            module.startswith("fastsvm_apps")
            and top == "fastsvm"
            and name not in open_to_apps
            and other != "_utils"
            and not module.startswith("fastsvm_apps.studies.race")  # it measures the solvers from inside
        ):
            yield f"{module} imports {name}, which is not a public name of fastsvm"
        if app(module) != app(name) and app(name) not in {None, "common"} and app(module) not in SEE_APPS:
            yield f"{module} imports {name}, of another app"
        here, there = app_room(module), app_room(name)
        if here != there and app(module) == app(name) and APP_LAYER.get(here, 99) <= APP_LAYER.get(there, -1):
            yield f"{module} imports {name}, which is not in a room below"
        if own in LAYER and LAYER[own] < LAYER["estimators"] and top in SKLEARN:
            yield f"{module} imports {name}"
        below = {own, "__version__", *(room for room in LAYER if LAYER[room] < LAYER.get(own, 0))}
        if own and top == "fastsvm" and other not in below:
            yield f"{module} imports {name}, which is not in a layer below"


def app(name):
    """Tell which of the apps a module belongs to, if any."""
    found = re.match(r"fastsvm_apps\.(\w+)", name)
    return found and found[1]


def app_room(name):
    """Tell the room of an app that a dotted name lies in: fastsvm_apps.cells.data of what is there."""
    return ".".join(name.split(".")[:3])


def may_import(module, heavy):
    """Tell whether a module may import something heavy at once."""
    return bool(re.fullmatch(rf"fastsvm_apps\.({MAY.get(heavy, '')})", module))


def sources():
    """Find the modules of both packages: name, path."""
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.p*")):
            if path.suffix in (".py", ".pyx", ".pxd"):
                parts = path.relative_to(folder).with_suffix("").parts
                yield ".".join([package, *parts]).removesuffix(".__init__"), path


def imports_of(module, path):
    return imports(module, path.read_text(), path.name == "__init__.py", path.suffix != ".py")


def public_names():
    names = {f"fastsvm.{name}" for name in names_of(ROOT / "fastsvm" / "__init__.pyi")}
    for room in "fitting", "io", "text", "model_files", "dask":
        names |= {f"fastsvm.{room}.{name}" for name in names_of(ROOT / "fastsvm" / room / "__init__.pyi")}
        names.add(f"fastsvm.{room}")
    return names | {"fastsvm.__version__"}


def names_of(stub):
    return [alias.name for node in ast.parse(stub.read_text()).body for alias in node.names]


MODULES = dict(sources())


def test_doors():
    public = public_names()
    broken = [broken_doors(module, imports_of(module, path), public) for module, path in sources()]
    assert [*chain(*broken)] == []


def test_every_room_is_in_a_layer():
    rooms = {room(module) for module in MODULES} - {None}
    assert rooms == LAYER.keys(), "say in LAYERS who may import a new room"
    folders = {module for module, path in MODULES.items() if path.name == "__init__.py" and app(module)}
    assert {name for name in folders if name.count(".") == 2} == APP_LAYER.keys(), "say it in APP_LAYERS"


def test_no_two_modules_import_each_other():
    """Nor do several in a circle, not even where only a type checker reads it."""
    left = {
        module: {module_of(name) for name, _ in imports_of(module, path)} - {module}
        for module, path in MODULES.items()
        if path.suffix == ".py" and module not in MAKES
    }
    while free := {module for module, needs in left.items() if not needs & left.keys()}:
        left = {module: needs for module, needs in left.items() if module not in free}
    assert left == {}, "a circle, and what imports it"


@pytest.mark.parametrize(
    "cli", [module for module in MODULES if re.fullmatch(r"fastsvm_apps\.\w+\.cli", module)]
)
def test_a_command_line_starts_with_click_and_the_standard_library(cli):
    """Follow the imports made at start-up: --help must not wait for NumPy or scikit-learn."""
    app = cli.removesuffix(".cli")
    first = [cli, *(module for module in MODULES if module.startswith(f"{app}.commands."))]
    for module, name, inner in followed(first):
        known = name.partition(".")[0] in sys.stdlib_module_names | {"click"}
        assert known or (inner or "").startswith((app, "fastsvm_apps.common")), f"{module} imports {name}"


@pytest.mark.parametrize("command", [module for module in MODULES if COMMAND.fullmatch(module)])
def test_a_command_imports_nothing_heavy_that_others_need(command):
    """Follow what a command imports when it runs: what its functions do, and what these import at once."""
    heavy = {*HEAVY, *SKLEARN, *(() if command in SERVERS else SERVER)} - {"click", "cv2"}
    for module, name, _ in followed([command], COMMAND.fullmatch):
        assert name.partition(".")[0] not in heavy, f"{command} imports {name}, in {module}"


def followed(modules, runs=lambda module: False):
    """Yield what modules import, at once or if they run: module, name, and which of MODULES it is, if any."""
    seen, todo = set(), [*modules]
    while todo:
        if (module := todo.pop()) in seen:
            continue
        seen.add(module)
        for name, at_once in imports_of(module, MODULES[module]):
            if at_once or runs(module):
                inner = module_of(name)
                todo += [inner] * bool(inner)
                yield module, name, inner


def module_of(name):
    """Tell which of MODULES a dotted name lies in, if any."""
    return next((module for module in (name, name.rpartition(".")[0]) if module in MODULES), None)


SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def test_results_are_told_through_one_door():
    found = {module for module, path in MODULES.items() if "note_skipped" in path.read_text("utf-8")}
    assert found == NAMES_SKIPPED


def test_what_lies_beside_modules_is_installed_with_them():
    for path in PACKAGES["fastsvm_apps"].rglob("*.*"):
        name = path.relative_to(PACKAGES["fastsvm_apps"])
        if path.suffix in (".css", ".csv", ".html", ".js", ".safetensors", ".txt"):
            owners = [(".".join(("fastsvm_apps", *folder.parts)), folder) for folder in name.parents]
            assert any(
                fnmatch(name.relative_to(folder).as_posix(), pattern)
                for package, folder in owners
                for pattern in SETUPTOOLS["package-data"].get(package, [])
            ), name


def test_every_package_is_installed():
    packages = {module for module, path in MODULES.items() if path.name == "__init__.py"}
    assert {*SETUPTOOLS["packages"]} == packages | {"fastsvm_apps.samples"}  # the folder data


def test_top_of_the_repository():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    top = {name.partition("/")[0] for name in tracked.stdout.split("\0") if name}
    shown = {name for name in top if not name.startswith(".")}
    assert shown <= AT_ROOT
    by_itself = {"setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "fastsvm", "apps"}
    assert shown - by_itself <= {*(ROOT / "MANIFEST.in").read_text().split()}  # in the source distribution
