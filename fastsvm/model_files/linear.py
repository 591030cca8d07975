"""Linear classifiers in model files."""

import numpy as np

from .codec import Codec, pack_names, set_names
from .container import ModelFileError, native, pack, same_names
from .fields import COUNTS, MEASURES, linear
from .parameters import check_and_set, to_json

__all__ = ["ClassifierCodec", "LinearCodec"]


class ClassifierCodec(Codec):
    """What codecs of classifiers share: parameters, classes, how the training ended."""

    def encode(self, model):
        params = {name: to_json(name, value) for name, value in model.get_params(deep=False).items()}
        fitted = {name: to_json(name, vars(model)[name]) for name in COUNTS if name in vars(model)}
        for name in MEASURES:
            if np.isfinite(vars(model).get(name, np.nan)).all():
                fitted[name] = np.asarray(vars(model)[name]).tolist()
        fitted["classes_"] = model.classes_.dtype.kind
        if model.classes_.dtype.kind in "UO":
            tensors = pack("classes_", model.classes_.tolist())
        else:
            tensors = {"classes_": native(model.classes_)}
        return params, fitted, tensors | pack_names(model)

    def _check_fitted(self, model, attribute):
        if not hasattr(model, attribute):
            raise ModelFileError(f"the {self.name} is not fitted")

    def n_features_out(self, model):
        return 0


class LinearCodec(ClassifierCodec):
    """A linear classifier, and its weights."""

    def encode(self, model):
        self._check_fitted(model, "coef_")
        params, fitted, tensors = super().encode(model)
        tensors |= {"coef_": native(model.coef_), "intercept_": native(model.intercept_)}
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        model = self.cls()
        same_names(params, model.get_params(deep=False), f"{self.name} parameter")
        check_and_set(model, params)
        found = linear(self.name, fitted, tensors)
        model.classes_, model.coef_, model.intercept_ = found.classes_, found.coef_, found.intercept_
        model.n_features_in_ = model.coef_.shape[1]
        set_names(model, found.names)
        vars(model).update(found.summary)
        return model
