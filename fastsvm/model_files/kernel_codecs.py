"""Kernel machines, and features that approximate a kernel, in model files."""

import numpy as np

from ..solvers.kernel._values import KERNELS
from .codec import Codec, check_transformer, pack_names, take_names
from .container import ModelFileError, check_object, show
from .fields import MEASURES, count_field, labels_field, measure_field, n_columns_field
from .linear_codecs import ClassifierCodec
from .parameters import make_model, params_to_json, to_json
from .rows import pack_rows, take_rows
from .tensors import FLOATS, native_tensor, take_tensor

# The array that a ``KernelFeatures`` of each method has besides its components.
BESIDE_COMPONENTS = {"nystroem": "factor_", "random": "offsets_"}

INTERCEPT = "intercept_"  # of models whose scores were shifted

# The types of a kernel machine's `support_` and `dual_coef_`.
ROW_NUMBERS = (np.dtype("<i4"),)
COEFFICIENTS = (np.dtype("<f8"),)


class KernelCodec(ClassifierCodec):
    """A kernel machine with a named kernel, its support and coefficients."""

    def __init__(self, cls, counter, name=None):
        super().__init__(cls, name)
        self.counter = counter  # its attribute among COUNTS

    def encode(self, model):
        self._check_fitted(model, "dual_coef_")
        self._check_kernel(model)
        if not hasattr(model, "support_vectors_"):
            raise ModelFileError(f"a {self.name} whose kernel was changed after fit")
        params, fitted, tensors = super().encode(model)
        fitted |= {name: to_json(name, getattr(model, name)) for name in ("gamma_", "n_features_in_")}
        arrays = ("support_", "dual_coef_", *([INTERCEPT] if model.intercept_.any() else []))
        tensors |= {name: native_tensor(getattr(model, name)) for name in arrays}
        return params, fitted, tensors | pack_rows("support_vectors_", model.support_vectors_)

    def _check_kernel(self, model):
        if model.kernel not in KERNELS:
            what = f"a {self.name} with kernel={show(model.kernel)}"
            raise ModelFileError(f"{what}; a file can hold {', '.join(KERNELS)}")

    def decode(self, params, fitted, tensors):
        what = self.name
        model = make_model(self, params)
        self._check_kernel(model)
        measures = {name: fitted[name] for name in MEASURES if name in fitted}
        kinds = {"classes_": str, "gamma_": float, "n_features_in_": int, self.counter: int}
        check_object(
            {name: fitted[name] for name in fitted if name not in measures}, f"{what} attributes", **kinds
        )
        model.classes_ = labels_field(fitted["classes_"], tensors)
        n_rows = 1 if len(model.classes_) == 2 else len(model.classes_)
        for name, value in measures.items():
            setattr(model, name, measure_field(name, value, n_rows))
        setattr(model, self.counter, count_field(self.counter, fitted[self.counter]))
        model.gamma_ = _positive_gamma(what, fitted)
        model.n_features_in_ = n_columns_field(what, "n_features_in_", fitted["n_features_in_"])
        model.support_vectors_ = take_rows("support_vectors_", tensors, model.n_features_in_, at_least=0)
        model.support_ = take_tensor(tensors, "support_", ROW_NUMBERS)
        model.dual_coef_ = take_tensor(tensors, "dual_coef_", COEFFICIENTS, ndim=2)
        n_support = model.support_vectors_.shape[0]
        if model.dual_coef_.shape != (n_rows, n_support):
            raise ModelFileError(
                f"dual_coef_ of shape {model.dual_coef_.shape} does not suit {len(model.classes_)} classes"
                f" and {n_support} support vectors"
            )
        self._take_calibration(model, tensors, n_rows)
        model.intercept_ = np.zeros(n_rows)
        if INTERCEPT in tensors:
            model.intercept_ = take_tensor(tensors, INTERCEPT, FLOATS)
            if model.intercept_.shape != (n_rows,):
                raise ModelFileError(f"{INTERCEPT} is of shape {model.intercept_.shape}, not {(n_rows,)}")
        if len(model.support_) != n_support:
            raise ModelFileError(f"support_ has {len(model.support_)} rows, for {n_support} support vectors")
        if (model.support_ < 0).any() or (model.support_[:-1] >= model.support_[1:]).any():
            raise ModelFileError("support_ are not row numbers in ascending order")
        take_names(model, tensors)
        return model


class KernelFeaturesCodec(Codec):
    """A ``KernelFeatures``: its parameters, and centres with a factor, or directions with offsets."""

    def encode(self, model):
        check_transformer(model, ["components_", "gamma_", "n_features_in_"])
        self._check_kernel(model)
        array = BESIDE_COMPONENTS[model.method]
        if not hasattr(model, array):
            raise ModelFileError("a KernelFeatures whose method was changed after fit")
        params = params_to_json(model)
        fitted = {"gamma_": float(model.gamma_), "n_features_in_": int(model.n_features_in_)}
        tensors = pack_rows("components_", model.components_) | {array: native_tensor(getattr(model, array))}
        return params, fitted, tensors | pack_names(model)

    def decode(self, params, fitted, tensors):
        what = self.name
        model = make_model(self, params)
        self._check_kernel(model)
        check_object(fitted, f"{what} attributes", gamma_=float, n_features_in_=int)
        model.gamma_ = _positive_gamma(what, fitted)
        model.n_features_in_ = n_columns_field(what, "n_features_in_", fitted["n_features_in_"])
        model.components_ = take_rows("components_", tensors, model.n_features_in_)
        array = BESIDE_COMPONENTS[model.method]
        setattr(model, array, self._component_array(array, tensors, model.components_))
        take_names(model, tensors)
        return model

    def _check_kernel(self, model):
        if model.kernel == "precomputed":
            raise ModelFileError("a KernelFeatures with kernel='precomputed'; a file holds centres")

    def _component_array(self, name, tensors, components):
        ndim = 2 if name == "factor_" else 1
        array = take_tensor(tensors, name, (components.dtype,), ndim)
        if array.shape != components.shape[:1] * ndim:
            raise ModelFileError(f"{name} of shape {array.shape} for {components.shape[0]} components")
        if name == "factor_" and (np.triu(array, 1).any() or not (array.diagonal() > 0).all()):
            raise ModelFileError("factor_ is not lower triangular with a positive diagonal")
        return array

    def n_features_out(self, model):
        return model.components_.shape[0]


def _positive_gamma(what, fitted):
    if fitted["gamma_"] <= 0:
        raise ModelFileError(f"{what} attributes: gamma_ is {show(fitted['gamma_'])}")
    return fitted["gamma_"]
