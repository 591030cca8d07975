"""The base of all codecs, which turn objects of one class into JSON and tensors, and back."""

import numpy as np

from .container import ModelFileError, show
from .tensors import pack_strings, unpack_strings


class Codec:
    """The codec of one class: ``encode(object) -> params, fitted, tensors``, and its inverse ``decode``.

    Parameters
    ----------
    cls : type
        Called with parameters, it makes an unfitted object.
    name : str, default=None
        Its name in files; by default its own name.
    """

    def __init__(self, cls, name=None):
        self.cls, self.name = cls, name or cls.__name__

    def n_features_out(self, model):
        """Return the number of columns that a step gives to the next."""
        return model.n_features_in_


def check_transformer(model, attributes):
    """Check that a transformer is fitted, and returns arrays."""
    name = type(model).__name__
    if not all(hasattr(model, attribute) for attribute in attributes):
        raise ModelFileError(f"the {name} is not fitted")
    output = getattr(model, "_sklearn_output_config", {}).get("transform") or "default"
    if output != "default":
        raise ModelFileError(f"a {name} with set_output(transform={show(output)})")


def pack_names(model):
    """Pack the names of a model's features, if it has any."""
    names = getattr(model, "feature_names_in_", None)
    return {} if names is None else pack_strings("feature_names_in_", names)


def take_names(model, tensors):
    """Take the names of a model's features, if it has any."""
    if "feature_names_in_.bytes" in tensors:
        names = unpack_strings("feature_names_in_", tensors)
        if len(names) != model.n_features_in_:
            raise ModelFileError(f"{len(names)} feature names for {model.n_features_in_} features")
        model.feature_names_in_ = np.array(names, dtype=object)
