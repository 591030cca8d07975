"""What choices by cross-validation share: folds, and what splitter and scorer are given."""

import numpy as np
from sklearn import get_config
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

__all__ = ["CrossValidated", "mean_over_folds", "rows_of"]


class CrossValidated:
    """What a classifier does that chooses parameters by cross-validation.

    Goes before the classifier in the list of bases; the subclass has the parameters `cv` and `scoring`.
    """

    def _folds(self, X, y, routed):
        """The folds, a list of (train, test)."""
        return list(check_cv(self.cv, y, classifier=True).split(X, y, **routed.splitter.split))

    def _fold_weights(self, y, sample_weight, k, train):
        """Weights of all rows in the k-th fold: 0 for what is not in `train`."""
        for label in np.setdiff1d(self.classes_, y[train]).tolist():
            raise ValueError(
                f"Fold {k} trains on no row of class {label!r}: use fewer folds, or stratified ones."
            )
        weights = np.zeros(len(y))
        own = self._weights(y[train], None if sample_weight is None else np.asarray(sample_weight)[train])
        np.add.at(weights, train, 1.0 if own is None else own)
        return weights

    def _scorer(self):
        return get_scorer("accuracy" if self.scoring is None else self.scoring)

    def score(self, X, y, sample_weight=None):
        """The score by `scoring`, accuracy by default.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer()(self, X, y, **weights)

    def _routed(self, sample_weight, params):
        """What splitter and scorer get of what `fit` was given."""
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        unknown = params.keys() - {"groups"}
        if unknown:
            raise TypeError(f"fit has no parameter {min(unknown)!r}; enable_metadata_routing is off.")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return Bunch(splitter=Bunch(split=params), scorer=Bunch(score=weights))

    def get_metadata_routing(self):
        """Which metadata goes where: to `fit` itself, the splitter and the scorer.

        Returns
        -------
        MetadataRouter
        """
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=self._scorer(), method_mapping=MethodMapping().add(caller="fit", callee="score"))
        )


def rows_of(params, test):
    """What the scorer is given with these rows."""
    return {name: np.asarray(value)[test] for name, value in params.items() if value is not None}


def mean_over_folds(folds, duals, n):
    """The mean dual variables, each over the folds that train on its row.

    Parameters
    ----------
    folds : list of (train, test)
    duals : list, for each fold an array of shape (n_problems, n)
    n : int

    Returns
    -------
    ndarray of shape (n_problems, n)
    """
    trained = np.zeros(n)
    for train, _ in folds:
        trained[np.unique(train)] += 1
    return sum(map(np.asarray, duals)) / np.maximum(trained, 1)
