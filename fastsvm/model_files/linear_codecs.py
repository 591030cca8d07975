"""Linear classifiers in model files."""

import numpy as np

from ..fitting import Calibration
from .codec import Codec, pack_names, take_names
from .container import ModelFileError, show
from .fields import COUNTS, MEASURES, count_field, labels_field, measure_field
from .parameters import make_model, params_to_json, to_json
from .tensors import FLOATS, native_tensor, pack_strings, take_tensor

CALIBRATION = "calibration_"  # slopes, and below them intercepts
SQUARES = "squares_"  # of the weights by which the norms of rows are, of each class its own


class ClassifierCodec(Codec):
    """A classifier: its parameters, its classes and the end of its training."""

    def encode(self, model):
        params = params_to_json(model)
        fitted = {name: to_json(name, vars(model)[name]) for name in COUNTS if name in vars(model)}
        for name in MEASURES:
            if np.isfinite(vars(model).get(name, np.nan)).all():
                fitted[name] = np.asarray(vars(model)[name]).tolist()
        fitted["classes_"] = model.classes_.dtype.kind
        if model.classes_.dtype.kind in "UO":
            tensors = pack_strings("classes_", model.classes_.tolist())
        else:
            tensors = {"classes_": native_tensor(model.classes_)}
        if hasattr(model, "calibration_"):
            calibration = model.calibration_
            tensors[CALIBRATION] = native_tensor(
                np.array([calibration.slopes, calibration.intercepts], float)
            )
        return params, fitted, tensors | pack_names(model)

    def _check_fitted(self, model, attribute):
        if not hasattr(model, attribute):
            raise ModelFileError(f"the {self.name} is not fitted")

    def _take_calibration(self, model, tensors, n_rows):
        if CALIBRATION in tensors:
            calibration = take_tensor(tensors, CALIBRATION, FLOATS, ndim=2)
            if calibration.shape != (2, n_rows):
                raise ModelFileError(f"{CALIBRATION} is of shape {calibration.shape}, not {(2, n_rows)}")
            model.calibration_ = Calibration(*calibration)

    def n_features_out(self, model):
        return 0


class LinearCodec(ClassifierCodec):
    """A linear classifier, and its weights."""

    def encode(self, model):
        self._check_fitted(model, "coef_")
        params, fitted, tensors = super().encode(model)
        tensors |= {"coef_": native_tensor(model._dense_coef), "intercept_": native_tensor(model.intercept_)}
        if hasattr(model, SQUARES):
            tensors[SQUARES] = native_tensor(model.squares_)
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        model = make_model(self, params)
        model.classes_ = labels_field(fitted.get("classes_"), tensors)
        n_rows = 1 if len(model.classes_) == 2 else len(model.classes_)
        coef, intercept = (
            take_tensor(tensors, "coef_", FLOATS, ndim=2),
            take_tensor(tensors, "intercept_", FLOATS),
        )
        if len(coef) != n_rows or len(intercept) != n_rows or coef.shape[1] < 1:
            raise ModelFileError(
                f"coef_ of shape {coef.shape} and intercept_ of shape {intercept.shape}"
                f" do not suit {len(model.classes_)} classes"
            )
        if SQUARES in tensors:
            model.squares_ = take_tensor(tensors, SQUARES, FLOATS, ndim=2)
            if model.squares_.shape != coef.shape or (model.squares_ < 0).any():
                raise ModelFileError(f"{SQUARES} is not of coef_'s shape {coef.shape}, or below 0")
        self._take_calibration(model, tensors, n_rows)
        model.coef_, model.intercept_, model.n_features_in_ = coef, intercept, coef.shape[1]
        take_names(model, tensors)
        joint = getattr(model, "_joint", False)
        for name in fitted.keys() - {"classes_"}:
            if name in COUNTS:
                setattr(model, name, count_field(name, fitted[name]))
            elif name in MEASURES:
                setattr(model, name, measure_field(name, fitted[name], 1 if joint else n_rows))
            else:
                raise ModelFileError(f"{self.name} attribute {show(name)} is unexpected")
        return model
