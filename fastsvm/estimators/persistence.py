"""Fitted models in safetensors files: arrays as tensors, settings as JSON, and never a pickle.

The file's metadata has one key, ``"fastsvm"``, whose value is a JSON object::

    {"schema": 3, "version": "0.1.0", "model": NODE, "about": {...}}

where ``about`` has further facts about the model and ``NODE`` is ``{"class": ..., "params": {...},
"fitted": {...}}``, or for a pipeline ``{"class": "Pipeline", "steps": [[name, NODE], ...]}``. Tensors are
named after their attribute, in a pipeline with the name of the step before it: ``classifier.coef_``. A list
of strings is a pair of tensors, ``.bytes`` (UTF-8, end to end) and ``.offsets`` (where each begins, and
where the last ends). An array of a transformer that lies in memory by columns or with its rows reversed is
stored as that view, ``.T`` or ``.flipud``, and loaded in the same layout, so that products take as long as
before. A CSR array is three tensors, ``.data``, ``.indices`` and ``.indptr``.

The reader trusts nothing in the file. It looks the class up in a closed table, accepts only the expected
names of fields and tensors, and checks every type, shape, offset and value before use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import StandardScaler

from ..model_files.registry import Models
from .bag_of_words import BagOfWords
from .kernel_features import KernelFeatures
from .kernel_pegasos import KernelPegasosClassifier
from .kernel_sdca import KernelSDCAClassifier
from .linear import ASDCAClassifier, SDCAClassifier
from .online import PegasosClassifier, PerceptronClassifier
from .term_weighting import TermWeighting

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

CLASSES = {
    cls.__name__: cls
    for cls in (
        *(Pipeline, CountVectorizer, BagOfWords, FeatureUnion, TermWeighting, StandardScaler, PCA),
        *(SDCAClassifier, ASDCAClassifier, PegasosClassifier, PerceptronClassifier),
        *(KernelFeatures, KernelSDCAClassifier, KernelPegasosClassifier),
    )
}
MODELS = Models({name: name for name in CLASSES}, CLASSES.__getitem__)


def save_model(model: object, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model to a safetensors file.

    The file is written atomically: beside `path` under another name, flushed to the disk and then renamed.
    An error leaves an earlier file at `path` as it was.

    Parameters
    ----------
    model : estimator
        A fitted :class:`SDCAClassifier`, :class:`ASDCAClassifier`, :class:`PegasosClassifier`,
        :class:`PerceptronClassifier`, :class:`KernelSDCAClassifier` or :class:`KernelPegasosClassifier`, a
        :class:`KernelFeatures`, a :class:`fastsvm.text.BagOfWords` or scikit-learn ``CountVectorizer`` with
        a vocabulary, a scikit-learn ``FeatureUnion`` of `BagOfWords`, a
        :class:`fastsvm.text.TermWeighting`, a scikit-learn ``StandardScaler`` or ``PCA``, or a scikit-learn
        ``Pipeline`` of these.
    path : str or path-like
        Where to write. An existing file is replaced.
    about : dict, optional
        Further facts about the model, as JSON; ``fastsvm.model_files.load_about`` returns them. They may
        include `training_items`, as in ``fastsvm.model_files.save_plain``.

    Raises
    ------
    ModelFileError
        If the model has another class, is not fitted, or has settings that a file cannot hold: a
        callable, a precomputed kernel matrix, a token pattern that ``BagOfWords`` does not compile, a
        ``CountVectorizer``'s stop words, or data frames as output.
    OSError
        If the file cannot be written.

    Notes
    -----
    The file keeps what predictions need: the parameters, ``coef_`` and ``intercept_`` in their precision (for
    a kernel machine ``support_vectors_``, ``support_``, ``dual_coef_`` and ``gamma_``), ``classes_``,
    ``feature_names_in_``, and a linear classifier's ``calibration_``, ``squares_`` and ``thresholds_``. It
    also keeps ``n_iter_``, ``t_``, ``objective_`` and ``dual_gap_`` if they are finite, but not what only
    training needs: a linear classifier's ``dual_coef_``, ``history_``, a random generator given as
    `random_state` (an integer is kept), a vectoriser's limits on document frequency and its `n_jobs`, a
    pipeline's cache. It also loses the last weights of averaged ones, from which ``partial_fit`` continues:
    pickle the classifier to keep them. A loaded ``CountVectorizer`` has a given vocabulary, a
    ``BagOfWords`` a learned one.

    The scores of texts and of kernel machines are the same to the last bit. The scores of dense rows, and the
    output of a ``PCA`` or ``KernelFeatures``, are the same up to rounding, since sums in BLAS may depend on
    the place of arrays in memory.

    A ``StandardScaler`` loses its number of samples: its ``partial_fit`` starts anew. A ``PCA`` keeps
    `whiten`, ``components_``, ``mean_`` and ``explained_variance_``; its `n_components` becomes the number
    of its components.
    """
    MODELS.save(model, path, about)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that :func:`save_model` wrote.

    Nothing in the file is executed or imported, so you can open a file from a stranger safely. The
    predictions are only as trustworthy as the file's author.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : estimator
        A fitted model, which predicts as the saved one does.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model, or was written by a version with another schema.
    OSError
        If the file cannot be read.
    """
    return MODELS.load_with_about(path)[0]
