"""Every public name says in numpydoc's form what it takes and returns."""

import inspect
import re
from importlib import import_module

import pytest

validate = pytest.importorskip("numpydoc.validate")

ROOMS = ("dask", "drop_in", "fitting", "io", "model_files", "solvers", "text")
# A docstring is there, its summary is one line with a full stop, and sections are known and in order.
# Parameters are the signature's, in its order, each with a type and a description; so is what is returned.
CHECKS = {"GL06", "GL07", "GL08", "SS01", "SS03", "SS06", "RT01", "RT03"}
CHECKS |= {f"PR{number:02}" for number in (1, 2, 3, 4, 6, 7, 10)}
# A class may leave its parameters to the class that its docstring names.
ELSEWHERE = re.compile(r"parameters\b[\w, `.]*\b(as in|are) (`|scikit-learn)|^scikit-learn's ", re.IGNORECASE)


# What a docstring that has a symbol says of it, in one sentence with it.
SYMBOLS = {"x_i": "row", "y_i": "label", "c_i": "weight", "phi": "loss|hinge|log", "b_i": "dual"}
SYMBOLS |= {"psi": "phi", "theta": "momentum"}


def public():
    """Public names, and of classes the public methods that are written there.

    What scikit-learn makes (`set_fit_request`) is not, nor is a method with the docstring of its base class.
    """
    for package in ("fastsvm", *(f"fastsvm.{room}" for room in ROOMS)):
        module = import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if name.startswith("__") or not callable(thing):
                continue
            yield f"{package}.{name}"
            for method, value in vars(thing).items() if inspect.isclass(thing) else ():
                bases = [getattr(base, method) for base in thing.__mro__[1:] if hasattr(base, method)]
                own = inspect.getdoc(value) not in map(inspect.getdoc, bases)
                if own and inspect.isfunction(value) and not method.startswith("_"):
                    yield f"{package}.{name}.{method}"


def errors(name):
    """What numpydoc says of a name."""
    thing, checks = validate.Validator._load_obj(name), CHECKS
    if inspect.isclass(thing):
        attributes = {each.name for each in validate.get_doc_object(thing)["Attributes"]}
        # The fields of a named tuple are its parameters, and stand among the attributes.
        if ELSEWHERE.search(thing.__doc__) or {*getattr(thing, "_fields", ["none"])} <= attributes:
            checks = CHECKS - {"PR01"}
    return [f"{code} {text}" for code, text in validate.validate(name)["errors"] if code in checks]


@pytest.mark.parametrize("name", sorted(public()))
def test_a_public_name_is_documented(name):
    assert errors(name) == []


def unexplained(docstring):
    """The symbols of a docstring that no sentence explains; formulas explain nothing."""
    prose = " ".join(re.sub(r"(?<=::)\n\n(?:    .*\n)+", "", docstring).split())
    return [
        symbol
        for symbol, word in SYMBOLS.items()
        if re.search(rf"\b{symbol}\b", docstring)
        and not re.search(rf"\b{symbol}\b[^.;:]*({word})|({word})[^.;:]*\b{symbol}\b", prose, re.IGNORECASE)
    ]


@pytest.mark.parametrize("name", sorted(name for name in public() if not name.startswith("fastsvm.fitting")))
def test_symbols_have_a_meaning(name):
    assert unexplained(inspect.getdoc(validate.Validator._load_obj(name))) == []


def test_what_is_not_described_is_found(monkeypatch):
    monkeypatch.setattr("fastsvm.certify.__doc__", "Bound the distance from the optimum.")
    assert len(errors("fastsvm.certify")) == 2
    assert unexplained("Minimise::\n\n    sum_i c_i phi(y_i)\n\nwhere c_i is a weight.\n") == ["y_i", "phi"]
