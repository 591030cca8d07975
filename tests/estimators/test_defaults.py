"""One name, one default: of functions and of estimators."""

import inspect
from dataclasses import fields
from itertools import product

import pytest

import fastsvm
from fastsvm import fitting, solvers

METHODS = [
    ("sdca", "SDCA", "SDCAClassifier", "SDCAClassifierCV", "sdca_path"),
    ("asdca", "ASDCA", "ASDCAClassifier"),
    ("pegasos", "Pegasos", "PegasosClassifier"),
    ("perceptron", "Perceptron", "PerceptronClassifier"),
    ("kernel_sdca", "KernelSDCAClassifier", "KernelSDCAClassifierCV"),
    ("kernel_pegasos", "KernelPegasosClassifier"),
]

# Parameters of one method whose defaults differ, and the words of a docstring that say why.
REASONS = {
    "gamma": ("kernel_sdca", "Always a number"),
    "n_alphas": ("SDCAClassifierCV", "Half the default of `sdca_path`"),
}

# Parameters that have one default whatever the method; kernel machines are the ones without an intercept.
EVERYWHERE = {
    *("alpha", "averaging", "cache_size", "class_weight", "coef0", "degree", "hinge_width"),
    *("kernel", "n_iter", "n_jobs", "random_state", "sample_weight", "tol", "trace", "verbose", "warm_start"),
}


def found(name):
    return next(getattr(room, name) for room in (solvers, fastsvm, fitting) if hasattr(room, name))


def defaults(names):
    """For each parameter that has one, its defaults: {name: {default: where}}."""
    table = {}
    for name in names:
        for parameter in inspect.signature(found(name)).parameters.values():
            if parameter.default is not parameter.empty:
                table.setdefault(parameter.name, {}).setdefault(repr(parameter.default), []).append(name)
    return table


def test_the_table_names_them_all():
    functions = {name for name in solvers.__all__ if inspect.isfunction(getattr(solvers, name))} - {"as_rows"}
    classifiers = {name for name in fastsvm.__all__ if "Classifier" in name}
    assert functions | classifiers <= {name for method in METHODS for name in method}


def test_editors_see_the_parameters_of_every_estimator():
    """They read the class itself: of an inherited dataclass, Jupyter's completion knows no parameter."""
    for name in (name for method in METHODS for name in method if "Classifier" in name):
        assert "__dataclass_fields__" in vars(found(name))
        assert [*inspect.signature(found(name)).parameters] == [field.name for field in fields(found(name))]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method[0])
def test_a_method_has_the_same_defaults_as_function_and_estimator(method):
    differing = {name for name, values in defaults(method).items() if len(values) > 1}
    for name in differing - REASONS.keys():
        raise AssertionError(f"{name}: {defaults(method)[name]}")
    for name in differing:
        where, why = REASONS[name]
        assert why in inspect.getdoc(found(where))


def test_what_does_not_depend_on_the_method_has_one_default():
    table = defaults(name for method in METHODS for name in method)
    assert table["tol"].pop("None") == ["Pegasos", "PegasosClassifier"]  # it does max_iter epochs
    assert {name: table[name] for name in EVERYWHERE if len(table.get(name, ())) > 1} == {}
    assert table["n_jobs"].keys() == {"None"}


@pytest.mark.parametrize("name", [name for method in METHODS for name in method if "Classifier" in name])
def test_a_switch_is_true_or_false(name):
    """Whatever the method; 1 and "yes" are not."""
    X, y = [[0.0], [1.0]], [0, 1]
    flags = {n for n, v in found(name)().get_params().items() if isinstance(v, bool)} - {"verbose"}
    assert flags or name == "KernelSDCAClassifierCV"
    for flag, bad in product(flags, (1, "yes", None)):
        with pytest.raises(ValueError, match=f"^{flag} must be True or False; got {bad!r}"):
            found(name)(**{flag: bad}).fit(X, y)
    found(name)(verbose=0)._check_params()  # a number as in scikit-learn
    for bad in (-1, "yes", None):
        with pytest.raises(
            ValueError, match=f"^verbose must be True, False or a number from 0 on; got {bad!r}"
        ):
            found(name)(verbose=bad).fit(X, y)
