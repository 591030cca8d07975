"""What every codec is: a class, its name in files, and the way of its objects to JSON and tensors."""

from .container import ModelFileError, pack, show

__all__ = ["Codec", "check_transformer", "pack_names", "set_names"]


class Codec:
    """Of one class: ``encode(object) -> params, fitted, tensors`` and ``decode``, which is the inverse.

    Parameters
    ----------
    cls : type
        Called with parameters, it makes an object that is not fitted.
    name : str, default=None
        What files call it; by default its own name.
    """

    def __init__(self, cls, name=None):
        self.cls, self.name = cls, name or cls.__name__

    def n_features_out(self, model):
        """Tell how many columns a step gives to the next."""
        return model.n_features_in_


def check_transformer(model, attributes):
    """Check that a transformer is fitted, and that it gives arrays."""
    name = type(model).__name__
    if not all(hasattr(model, attribute) for attribute in attributes):
        raise ModelFileError(f"the {name} is not fitted")
    output = getattr(model, "_sklearn_output_config", {}).get("transform") or "default"
    if output != "default":
        raise ModelFileError(f"a {name} with set_output(transform={show(output)})")


def pack_names(model):
    """Pack the names of a model's features, if there are any."""
    return pack("feature_names_in_", model.feature_names_in_) if hasattr(model, "feature_names_in_") else {}


def set_names(model, names):
    """Give a model the names of its features, if there are any."""
    if names is not None:
        model.feature_names_in_ = names
