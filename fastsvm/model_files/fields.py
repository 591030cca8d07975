"""The content of a model file: parameters, the kinds of fields, and one codec for every table of fields.

A field is a number or a list of numbers in the JSON, or an array. The lengths of arrays have names, and equal
names mean equal lengths, as in ``coef_`` of shape (n_scores, n_features_in_) and ``intercept_`` of shape
(n_scores,). A number in the JSON may be such a length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ..fitting.prediction import is_multinomial
from ..solvers.params import Fields
from . import container
from .container import ModelFileError, check_field_names, check_object, one_line, show

MAX_LABELS = 1 << 24  # characters of a padded array of labels: one long label widens all others

NAMES = "feature_names_in_"
THRESHOLDS = "thresholds_"  # of models with several labels per row
MAX_JOBS = 1024  # threads in a file; kernel machines predict with them

# The types of a parameter by the type of its default; `CHECKS` checks the rest.
LIKE = {
    bool: (bool, int, str),  # fit_intercept="search"
    int: (int,),
    float: (float, int, type(None)),
    str: (str, float, int, type(None)),
    type(None): (int, type(None)),
}


# Parameters --------------------------------------------------------------------------------------------


def make_model(cls, name, params):
    """Make an unfitted model with the checked parameters of a file; `name` is its class in the file."""
    model = cls()
    defaults = model.get_params(deep=False)
    check_field_names(params, defaults, f"{name} parameter")
    params = {key: from_json(key, value, defaults[key]) for key, value in params.items()}
    try:
        model.set_params(**params)
        if isinstance(model, Fields):
            model._params.of(model)
        else:
            model._check_params()
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
    raise ModelFileError(f"{name} is {show(value)}, which a file cannot hold")


def params_to_json(model):
    """Turn all parameters of a model into JSON."""
    return {name: to_json(name, value) for name, value in model.get_params(deep=False).items()}


def from_json(name, value, default):
    """Turn JSON into a constructor parameter."""
    if name == "class_weight":
        return value if value in (None, "balanced") else _class_weight(value)
    kind = float if name in ("cache_size", "tol") else type(default)  # of a whole default, or None
    if type(value) not in LIKE[kind] or (value is not None and not _in_range(name, value)):
        raise ModelFileError(f"parameter {name} is {show(value)}, which is invalid")
    return value


def _in_range(name, value):
    """Return whether a number is valid for joblib, or for NumPy's random generators."""
    if name == "n_jobs":
        return value != 0 and value <= MAX_JOBS
    return name != "random_state" or 0 <= value < 2**32


def _class_weight(pairs):
    if type(pairs) is not list:
        raise ModelFileError(f"class_weight is {show(pairs)}, which is invalid")
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) in (list, dict):
            raise ModelFileError("class_weight is not a list of pairs, label and weight")
        if type(pair[1]) not in (int, float):
            raise ModelFileError(f"class_weight of {show(pair[0])} is {show(pair[1])}, which is invalid")
    weights = dict(pairs)
    if len(weights) != len(pairs):
        raise ModelFileError("class_weight: a label occurs twice")
    return weights


# Fields of fitted models -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Field:
    """A field of a fitted model. Its subclasses can `write` it, into the JSON or the tensors, and `read` it.

    `read` returns the checked value. Earlier fields are in the model already, and their lengths in `lengths`.

    Parameters
    ----------
    name : str
        The attribute of the model.
    optional : bool, default=False
        Fitted models may lack the field.
    when : tuple, default=()
        The parameter of the model that decides whether the field exists, and the values of this parameter for
        which it must; by default all.
    absent : callable, default=None
        From the lengths to what a loaded model has instead.
    """

    name: str
    _: KW_ONLY
    optional: bool = False
    when: tuple = ()
    absent: Callable | None = None

    def is_in_model(self, model):
        """Return whether a model has the field."""
        return getattr(model, self.name, None) is not None

    def is_needed(self, model):
        """Return whether a fitted model must have the field."""
        return getattr(model, self.when[0]) in self.when[1:] if self.when[1:] else not self.optional

    def is_in_file(self, fitted, tensors):
        """Return whether the field is in a file."""
        return self.name in fitted


@dataclass(frozen=True)
class Number(Field):
    """A number within limits, in the JSON, which may be a length of arrays."""

    kind: type
    least: float
    most: float = math.inf

    def write(self, model, fitted, tensors):
        fitted[self.name] = to_json(self.name, getattr(model, self.name))

    def read(self, model, fitted, tensors, lengths):
        value = fitted[self.name]
        if type(value) is not self.kind or not self.least <= value <= self.most:
            raise ModelFileError(f"{self.name} is {show(value)}, which is invalid")
        lengths[self.name] = value
        return value


@dataclass(frozen=True)
class Measure(Field):
    """A number, or one per binary problem, in the JSON if all are finite."""

    optional: bool = True

    def write(self, model, fitted, tensors):
        value = np.asarray(getattr(model, self.name))
        if np.isfinite(value).all():
            fitted[self.name] = value.tolist()

    def read(self, model, fitted, tensors, lengths):
        value = fitted[self.name]
        numbers = value if type(value) is list else [value]
        if any(type(number) not in (int, float) for number in numbers):
            raise ModelFileError(f"{self.name} is {show(value)}, which is invalid")
        n_problems = 1 if is_multinomial(model) else lengths["n_scores"]
        if len(numbers) != n_problems:
            raise ModelFileError(f"{self.name} has {len(numbers)} values, not {n_problems}")
        return np.array(value, dtype=float) if type(value) is list else float(value)


@dataclass(frozen=True)
class Labels(Field):
    """The labels of a classifier: the kind of dtype in the JSON, and an array or strings."""

    def write(self, model, fitted, tensors):
        labels = getattr(model, self.name)
        fitted[self.name] = labels.dtype.kind
        if labels.dtype.kind in "UO":
            tensors |= container.pack_strings(self.name, labels.tolist())
        else:
            tensors |= container.pack_array(self.name, labels)

    def read(self, model, fitted, tensors, lengths):
        kind = fitted[self.name]
        if kind in ("U", "O"):
            strings = container.take_strings(tensors, self.name)
            if kind == "U" and len(strings) * max(map(len, strings)) > MAX_LABELS:
                raise ModelFileError(f"{self.name}: the labels are too long")
            labels = np.array(strings, dtype=object if kind == "O" else None)
        else:
            labels = container.take_array(tensors, self.name, container.LABELS)
            if labels.dtype.kind != kind:
                raise ModelFileError(f"{self.name} is of type {labels.dtype}, but described as {show(kind)}")
        if len(labels) < 2 or not (labels[:-1] < labels[1:]).all():
            raise ModelFileError(f"{self.name} does not have two or more labels in ascending order")
        two = len(labels) == 2 and THRESHOLDS not in tensors  # with thresholds, a row may have both, or none
        lengths["n_scores"] = 1 if two else len(labels)
        return labels


@dataclass(frozen=True)
class Array(Field):
    """An array of numbers.

    Parameters
    ----------
    shape : tuple of str or int
        The lengths of the array.
    dtypes : tuple of dtype, or str
        The permitted dtypes; or the name of an array with the same dtype.
    check : callable, default=None
        Called with the name and the array; raises a ModelFileError if they are wrong.
    csr : bool, default=False
        Whether it may be a CSR array.
    views : bool, default=False
        Whether the file keeps the layout in memory.
    """

    shape: tuple[str | int, ...]
    dtypes: tuple[np.dtype, ...] | str = container.FLOATS
    check: Callable | None = None
    _: KW_ONLY
    csr: bool = False
    views: bool = False

    def is_in_file(self, fitted, tensors):
        return any(key == self.name or key.startswith(f"{self.name}.") for key in tensors)

    def write(self, model, fitted, tensors):
        pack = (
            container.pack_rows if self.csr else container.pack_view if self.views else container.pack_array
        )
        tensors |= pack(self.name, getattr(model, self.name))

    def read(self, model, fitted, tensors, lengths):
        dtypes = (getattr(model, self.dtypes).dtype,) if isinstance(self.dtypes, str) else self.dtypes
        if self.csr and f"{self.name}.indptr" in tensors:
            array = container.take_rows(tensors, self.name, dtypes, lengths[self.shape[1]])
        else:
            take = container.take_view if self.views else container.take_array
            array = take(tensors, self.name, dtypes, len(self.shape))
        wanted = tuple(
            length if isinstance(length, int) else lengths.setdefault(length, n)
            for length, n in zip(self.shape, array.shape, strict=True)
        )
        if array.shape != wanted:
            raise ModelFileError(f"{self.name} is of shape {array.shape}, not {wanted}")
        if self.check:
            self.check(self.name, array)
        return array


@dataclass(frozen=True)
class Codec:
    """How the objects of one class become JSON and tensors, and back.

    Parameters
    ----------
    fields : list of Field
        The fields of a fitted object, in the order of the JSON.
    switches : tuple of str, default=()
        The parameters in the file, each True or False; by default all parameters, of any type.
    refuse : callable, default=None
        Called with the class's name and an object; raises a ModelFileError for its parameters.
    n_features_out : callable
        From an object to the number of columns that it passes to the next step.
    finish : callable, default=None
        Called with a loaded object.
    """

    fields: list[Field]
    _: KW_ONLY
    switches: tuple[str, ...] = ()
    refuse: Callable | None = None
    n_features_out: Callable = lambda model: model.n_features_in_
    finish: Callable | None = None

    def encode(self, models, name, model):
        """Return the parameters, the numbers and the tensors of an object; `name` is its class in files."""
        there = [field for field in self.fields if field.is_in_model(model)]
        if any(not (field.optional or field.when or field in there) for field in self.fields):
            raise ModelFileError(f"the {name} is not fitted")
        output = getattr(model, "_sklearn_output_config", {}).get("transform") or "default"
        if output != "default":
            raise ModelFileError(f"a file cannot hold a {name} with set_output(transform={show(output)})")
        if self.refuse:
            self.refuse(name, model)
        for field in self.fields:
            if field.is_needed(model) != (field in there) and not (field.optional and field in there):
                raise ModelFileError(f"a file holds no {name} whose {field.when[0]} was changed after fit")
        params = {switch: bool(getattr(model, switch)) for switch in self.switches} or params_to_json(model)
        fitted, tensors = {}, {}
        for field in there:
            field.write(model, fitted, tensors)
        if hasattr(model, NAMES):
            tensors |= container.pack_strings(NAMES, getattr(model, NAMES))
        return params, fitted, tensors

    def decode(self, models, name, params, fitted, tensors):
        """Return an object, or raise a ModelFileError; used tensors are removed from `tensors`."""
        if self.switches:
            check_object(params, f"{name} parameters", **dict.fromkeys(self.switches, bool))
            model = models.class_of(name)(**params)
        else:
            model = make_model(models.class_of(name), name, params)
        if self.refuse:
            self.refuse(name, model)
        numbers = [field for field in self.fields if not isinstance(field, Array)]
        expected = [field.name for field in numbers if field.name in fitted or not field.optional]
        check_field_names(fitted, expected, f"{name} attribute")
        lengths: dict[str, int] = {}
        labels_first = sorted(self.fields, key=lambda field: not isinstance(field, Labels))
        for field in labels_first:  # measures have a value for each label
            if field.is_needed(model) or (field.optional and field.is_in_file(fitted, tensors)):
                setattr(model, field.name, field.read(model, fitted, tensors, lengths))
            elif field.absent:
                setattr(model, field.name, field.absent(lengths))
        model.n_features_in_ = lengths["n_features_in_"]
        if f"{NAMES}.bytes" in tensors:
            names = container.take_strings(tensors, NAMES)
            if len(names) != model.n_features_in_:
                raise ModelFileError(f"it has {len(names)} feature names for {model.n_features_in_} features")
            setattr(model, NAMES, np.array(names, dtype=object))
        if self.finish:
            self.finish(model)
        return model
