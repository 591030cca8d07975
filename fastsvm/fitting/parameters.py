"""Models whose parameters are those of their `__init__`, as scikit-learn has it."""

from inspect import signature

__all__ = ["Parameters"]


class Parameters:
    """What plain models have of scikit-learn's BaseEstimator: reading and setting parameters."""

    def get_params(self, deep=False):
        """Return the parameters by name; `deep` is ignored, as there are none within others."""
        return {name: getattr(self, name) for name in sorted(signature(type(self)).parameters)}

    def set_params(self, **params):
        """Set parameters by name; return the model."""
        unknown = params.keys() - self.get_params()
        if unknown:
            raise ValueError(f"{type(self).__name__} has no parameter {min(unknown)!r}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self
