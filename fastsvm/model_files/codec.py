"""The base of all codecs, which turn objects of one class into JSON and tensors, and back."""

from .container import ModelFileError, show
from .tensors import pack_strings

__all__ = ["Codec", "check_transformer", "pack_names", "set_feature_names"]


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
    return (
        pack_strings("feature_names_in_", model.feature_names_in_)
        if hasattr(model, "feature_names_in_")
        else {}
    )


def set_feature_names(model, names):
    """Set the names of a model's features, if there are any."""
    if names is not None:
        model.feature_names_in_ = names
