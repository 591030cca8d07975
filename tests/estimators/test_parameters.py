"""A parameter has one name, place and default, in functions, plain classes, estimators and docstrings."""

import inspect
import re
from dataclasses import fields
from itertools import product

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

import fastsvm
from contracts import KINDS, names_of
from fastsvm import dask, fitting, solvers

ROOMS = (solvers, fastsvm, fitting)
ALL = [*(name for method in KINDS for name in names_of(method)), "KernelFeatures", "certify"]
# Parameters of one method whose defaults differ, and the words of a docstring that say why.
REASONS = {
    "gamma": ("kernel_sdca", "Always a number"),
    "n_alphas": ("SDCAClassifierCV", "half as many as in `sdca_path`"),
}
# Parameters that have one default whatever the method; kernel machines are the ones without an intercept.
EVERYWHERE = {
    *("alpha", "averaging", "cache_size", "class_weight", "coef0", "degree", "hinge_width"),
    *("kernel", "n_iter", "n_jobs", "random_state", "sample_weight", "tol", "trace", "verbose", "warm_start"),
}


def found(name):
    return next(getattr(room, name) for room in ROOMS if hasattr(room, name))


def parameters(thing):
    return {name: each.default for name, each in inspect.signature(thing).parameters.items()}


def defaults(names):
    """For each parameter that has one, its defaults: {name: {default: where}}."""
    table = {}
    for name in names:
        for parameter, default in parameters(found(name)).items():
            if default is not inspect.Parameter.empty:
                table.setdefault(parameter, {}).setdefault(repr(default), []).append(name)
    return table


def test_the_table_names_them_all():
    functions = {name for name in solvers.__all__ if inspect.isfunction(getattr(solvers, name))} - {"as_rows"}
    plain = {name for name in fitting.__all__ if hasattr(getattr(fitting, name), "get_params")}
    classifiers = {name for name in fastsvm.__all__ if "Classifier" in name}
    assert functions | classifiers | plain <= {*ALL, "Parameters", "Pipeline", "Scaler"}


@pytest.mark.parametrize("name", [*ALL, "dask.SDCAClassifier"])
def test_docstring_signature_and_fields_say_the_same(name):
    thing = dask.SDCAClassifier if name.startswith("dask.") else found(name)
    expected = parameters(thing)
    if inspect.isclass(thing):
        assert {field.name: field.default for field in fields(thing)} == expected
        assert "__dataclass_fields__" in vars(thing)  # editors read the class itself
    described = (ClassDoc if inspect.isclass(thing) else FunctionDoc)(thing)["Parameters"]
    if not described:  # "parameters as in ..."
        assert "as in `fastsvm." in thing.__doc__
        return
    told = {one: each.type for each in described for one in each.name.split(", ")}
    assert [*told] == [*expected]
    for one, words in told.items():
        said = re.search(r"default=(.*)", words)
        if said is None:  # of what must be given, or is told elsewhere
            assert expected[one] is inspect.Parameter.empty or words.startswith("as in "), one
        else:
            assert eval(said[1]) == expected[one], one


def test_editors_complete_the_parameters():
    jedi = pytest.importorskip("jedi")
    for name in (name for name in ALL if "Classifier" in name):
        [call] = jedi.Script(f"import fastsvm\nfastsvm.{name}(").get_signatures()
        assert {each.name for each in call.params} >= parameters(found(name)).keys()


@pytest.mark.parametrize("method", KINDS)
def test_a_method_has_the_same_defaults_as_function_and_estimator(method):
    differing = {name: each for name, each in defaults(names_of(method)).items() if len(each) > 1}
    assert differing.keys() <= REASONS.keys(), differing
    for name in differing:
        where, why = REASONS[name]
        assert why in inspect.getdoc(found(where))


def test_what_does_not_depend_on_the_method_has_one_default():
    table = defaults(name for method in KINDS for name in names_of(method))
    assert table["tol"].pop("None") == ["pegasos", "Pegasos", "PegasosClassifier"]  # it does max_iter epochs
    assert {name: table[name] for name in EVERYWHERE if len(table.get(name, ())) > 1} == {}
    assert table["n_jobs"].keys() == {"None"}


@pytest.mark.parametrize("name", [name for name in ALL if "Classifier" in name])
def test_a_switch_is_true_or_false(name):
    """Whatever the method; 1 and "yes" are not."""
    X, y = [[0.0], [1.0]], [0, 1]
    flags = {n for n, v in found(name)().get_params().items() if isinstance(v, bool)} - {"verbose"}
    assert flags or name == "KernelSDCAClassifierCV"
    for flag, bad in product(flags, (1, "yes", None)):
        with pytest.raises(ValueError, match=f"^{flag} must be True or False; got {bad!r}"):
            found(name)(**{flag: bad}).fit(X, y)
    for bad in (-1, "yes", None):
        message = f"^verbose must be True, False or a non-negative integer; got {bad!r}"
        with pytest.raises(ValueError, match=message):
            found(name)(verbose=bad).fit(X, y)
