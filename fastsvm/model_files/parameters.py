"""Parameters of models as JSON, and back."""

import math

import numpy as np

from .container import ModelFileError, check_field_names, one_line, show

MAX_JOBS = 1024  # threads in a file; kernel machines start them to predict

# The types of a parameter by the type of its default; `_check_params` checks the rest.
LIKE = {
    bool: (bool, int, str),  # fit_intercept="search"
    int: (int,),
    float: (float, int, type(None)),
    str: (str, float, int, type(None)),
    type(None): (int, type(None)),
}


def make_model(cls, name, params):
    """Make an unfitted model with the parameters in a file, checked; `name` is its class there."""
    model = cls()
    defaults = model.get_params(deep=False)
    check_field_names(params, defaults, f"{name} parameter")
    params = {key: from_json(key, value, defaults[key]) for key, value in params.items()}
    try:
        model.set_params(**params)._check_params()
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{name}: {one_line(error)}") from None
    return model


def to_json(name, value):
    """Turn a constructor parameter into JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if name == "class_weight" and isinstance(value, dict):
        return [[to_json("a label", label), to_json(name, weight)] for label, weight in value.items()]
    if name == "random_state" and type(value) is not int:
        return None
    if value is None or type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value)):
        return value
    raise ModelFileError(f"{name} is {show(value)}")


def params_to_json(model):
    """Turn all parameters of a model into JSON."""
    return {name: to_json(name, value) for name, value in model.get_params(deep=False).items()}


def from_json(name, value, default):
    """Turn JSON into a constructor parameter."""
    if name == "class_weight":
        return value if value in (None, "balanced") else _class_weight(value)
    kind = float if name == "cache_size" else type(default)  # the default just happens to be whole
    if type(value) not in LIKE[kind] or (value is not None and not _in_range(name, value)):
        raise ModelFileError(f"parameter {name} is {show(value)}")
    return value


def _in_range(name, value):
    """Return whether a number is valid for joblib, or for NumPy's random generators."""
    if name == "n_jobs":
        return value != 0 and value <= MAX_JOBS
    return name != "random_state" or 0 <= value < 2**32


def _class_weight(pairs):
    if type(pairs) is not list:
        raise ModelFileError(f"class_weight is {show(pairs)}")
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) in (list, dict):
            raise ModelFileError("class_weight is not a list of pairs, label and weight")
        if type(pair[1]) not in (int, float):
            raise ModelFileError(f"class_weight of {show(pair[0])} is {show(pair[1])}")
    weights = dict(pairs)
    if len(weights) != len(pairs):
        raise ModelFileError("class_weight: a label twice")
    return weights
