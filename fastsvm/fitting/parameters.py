"""Models whose parameters are the arguments of their `__init__`, as in scikit-learn."""

from ..solvers.params import parameter_names


class Parameters:
    """Reading and setting parameters, as in scikit-learn's BaseEstimator, for plain models."""

    def get_params(self, deep=False):
        """Return the parameters by name; `deep` is ignored, as there are none within others.

        Parameters
        ----------
        deep : bool, default=False
            Taken, and not read: no parameter has parameters.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **params):
        """Set parameters by name; return the model.

        Parameters
        ----------
        **params : any
            Values by name.

        Returns
        -------
        self
            The model.
        """
        unknown = params.keys() - self.get_params()
        if unknown:
            raise ValueError(f"{type(self).__name__} has no parameter {min(unknown)!r}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self
