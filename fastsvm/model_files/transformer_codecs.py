"""Scalers and principal components in model files."""

from itertools import chain

from .codec import Codec, check_transformer, pack_names, take_names
from .container import ModelFileError, check_object
from .fields import n_columns_field
from .tensors import FLOATS, VIEWS, take_tensor_view, tensor_of_view


class TransformerCodec(Codec):
    """A transformer of scikit-learn with a few switches, and arrays of matching shapes."""

    positive = ("scale_",)
    not_negative = ("var_", "explained_variance_")

    def __init__(self, cls, name, switches, shapes, optional=()):
        super().__init__(cls, name)
        self.switches = switches
        self.shapes = shapes  # for each array, the attributes with its lengths
        self.sizes = list(dict.fromkeys(chain(*shapes.values())))
        self.optional = dict(optional)  # optional arrays, each with the switch that requires it

    def encode(self, model):
        check_transformer(model, [*self.sizes, *self.shapes])
        params = {name: bool(getattr(model, name)) for name in self.switches}
        fitted = {name: int(getattr(model, name)) for name in self.sizes}
        tensors = pack_names(model)
        for name in self.shapes:
            if getattr(model, name) is not None:
                tensors |= tensor_of_view(name, getattr(model, name))
        return params, fitted, tensors

    def decode(self, params, fitted, tensors):
        what = self.name
        check_object(params, f"{what} parameters", **dict.fromkeys(self.switches, bool))
        check_object(fitted, f"{what} attributes", **dict.fromkeys(self.sizes, int))
        model = self.cls(**params)
        for name, size in fitted.items():
            setattr(model, name, n_columns_field(what, name, size))
        for name in self.shapes:
            setattr(model, name, self._fitted_array(name, model, tensors))
        take_names(model, tensors)
        return model

    def _fitted_array(self, name, model, tensors):
        wanted = name not in self.optional or getattr(model, self.optional[name])
        if not wanted and not any(name + suffix in tensors for suffix in VIEWS):
            return None
        shape = tuple(getattr(model, size) for size in self.shapes[name])
        array = take_tensor_view(tensors, name, FLOATS, len(shape))
        if array.shape != shape:
            raise ModelFileError(f"{name} is of shape {array.shape}, not {shape}")
        if name in self.positive and not (array > 0).all():
            raise ModelFileError(f"{name} has values that are not positive")
        if name in self.not_negative and not (array >= 0).all():
            raise ModelFileError(f"{name} has negative values")
        return array


class PCACodec(TransformerCodec):
    """A PCA; its parameter `n_components` becomes the number of its components."""

    def __init__(self, cls):
        shapes = {
            "mean_": ("n_features_in_",),
            "components_": ("n_components_", "n_features_in_"),
            "explained_variance_": ("n_components_",),
        }
        super().__init__(cls, "PCA", ("whiten",), shapes)

    def decode(self, params, fitted, tensors):
        model = super().decode(params, fitted, tensors)
        return model.set_params(n_components=model.n_components_)

    def n_features_out(self, model):
        return model.n_components_


class ScalerCodec(TransformerCodec):
    """A StandardScaler with the arrays that its switches require."""

    def __init__(self, cls):
        switches = ("copy", "with_mean", "with_std")
        arrays = {"mean_": "with_mean", "scale_": "with_std", "var_": "with_std"}
        super().__init__(cls, "StandardScaler", switches, dict.fromkeys(arrays, ("n_features_in_",)), arrays)
