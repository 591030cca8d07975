"""Fitted models in safetensors files: arrays as tensors, settings as JSON, and never a pickle.

The file's metadata has one key, ``"fastsvm"``, whose value is a JSON object::

    {"schema": 3, "version": "0.1.0", "model": NODE, "about": {...}}

where ``about`` has further facts about the model and ``NODE`` is ``{"class": ..., "params": {...},
"fitted": {...}}``, or for a pipeline ``{"class": "Pipeline", "steps": [[name, NODE], ...]}``. Tensors are
named after their attribute, in a pipeline with the name of the step before it: ``classifier.coef_``. A list
of strings is a pair of tensors, ``.bytes`` (UTF-8, end to end) and ``.offsets`` (where each begins, and
where the last ends). An array of a transformer that lies in memory by columns or upside down is stored as
that view, ``.T`` or ``.flipud``, and loaded in the same layout, so that products take as long as before. A
CSR array is three tensors, ``.data``, ``.indices`` and ``.indptr``.

The reader trusts nothing in the file. It looks the class up in a closed table, accepts only the expected
names of fields and tensors, and checks every type, shape, offset and value before use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import StandardScaler

from ..model_files.container import ModelFileError
from ..model_files.kernel import KernelCodec, KernelFeaturesCodec
from ..model_files.linear import LinearCodec
from ..model_files.models import Models
from ..model_files.text import BagCodec, CountVectorizerCodec, UnionCodec, WeightingCodec
from ..model_files.transformers import PCACodec, ScalerCodec
from .bag_of_words import BagOfWords
from .kernel_features import KernelFeatures
from .kernel_pegasos import KernelPegasosClassifier
from .kernel_sdca import KernelSDCAClassifier
from .linear import ASDCAClassifier, PegasosClassifier, PerceptronClassifier, SDCAClassifier
from .term_weighting import TermWeighting

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

__all__ = ["ModelFileError", "load_model", "save_model"]

BAGS = BagCodec(BagOfWords)
MODELS = Models(
    [
        CountVectorizerCodec(CountVectorizer),
        BAGS,
        UnionCodec(FeatureUnion, BAGS),
        WeightingCodec(TermWeighting),
        ScalerCodec(StandardScaler),
        PCACodec(PCA),
        KernelFeaturesCodec(KernelFeatures),
        LinearCodec(SDCAClassifier),
        LinearCodec(ASDCAClassifier),
        LinearCodec(PegasosClassifier),
        LinearCodec(PerceptronClassifier),
        KernelCodec(KernelSDCAClassifier, "n_iter_"),
        KernelCodec(KernelPegasosClassifier, "t_"),
    ],
    Pipeline,
)


def save_model(model: object, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model to a safetensors file.

    The file is complete or not there at all: it is written beside `path` under another name, flushed to
    the disk and then renamed, so that whatever goes wrong leaves an earlier file at `path` as it was.

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
        Further facts about the model, as JSON; ``fastsvm.model_files.load_about`` returns them.

    Raises
    ------
    ModelFileError
        If the model is of another class, is not fitted, or has settings that a file cannot hold: a
        callable, a kernel matrix that was precomputed, a token pattern that is not one of those that
        ``BagOfWords`` compiles, a ``CountVectorizer``'s stop words, data frames as output.
    OSError
        If the file cannot be written.

    Notes
    -----
    What predictions need is kept exactly: the parameters, ``coef_`` and ``intercept_`` in their precision
    (of a kernel machine ``support_vectors_``, ``support_``, ``dual_coef_`` and ``gamma_``), ``classes_``,
    ``feature_names_in_``, and with them ``n_iter_``, ``t_``, ``objective_`` and ``dual_gap_`` as far as
    they are finite; a linear classifier's ``calibration_``. What only training needs is not: its
    ``dual_coef_``, ``history_``, the averages of ``partial_fit``, a random generator given as
    `random_state` (an integer is kept), a vectorizer's limits on document frequency and its `n_jobs`, a
    pipeline's cache. A ``CountVectorizer`` comes back with its vocabulary as one that was given, a
    ``BagOfWords`` with it as one that was learned.

    Scores of texts and of kernel machines are then the same to the last bit. Those of dense rows, and what
    a ``PCA`` or ``KernelFeatures`` gives, are so up to rounding: BLAS's sums may depend on where arrays lie
    in memory.

    A ``StandardScaler`` forgets how many samples it has seen: its ``partial_fit`` starts anew. Of a ``PCA``
    stay `whiten`, ``components_``, ``mean_`` and ``explained_variance_``; `n_components` is then the integer
    ``n_components_``, whether it was a number, a share of the variance, ``"mle"`` or None.
    """
    MODELS.save(model, path, about)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that :func:`save_model` wrote.

    Nothing in the file is executed or imported, so a file from a stranger can be opened safely; what the
    model then predicts is as trustworthy as the stranger.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    model : estimator
        A fitted model that predicts as the saved one did.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model, or was written by a later version with another layout.
    OSError
        If the file cannot be read.
    """
    return MODELS.load(path)
