"""Model files as plain models, without scikit-learn."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .. import fitting
from .container import named_errors, open_model
from .linear_codecs import LinearCodec
from .models import Models

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

LINEAR = (fitting.SDCA, fitting.ASDCA, fitting.Pegasos, fitting.Perceptron)
KERNEL = {"KernelSDCA": "n_iter_", "KernelPegasos": "t_"}  # and their counters
LINEAR_CODECS = [LinearCodec(cls, f"{cls.__name__}Classifier") for cls in LINEAR]


@cache
def _all_models() -> Models:
    """Return the table of all models; those of texts and kernels take a while to import."""
    from ..text.bag import Bag
    from ..text.union import Union
    from ..text.weighting import Weighting
    from .kernel_codecs import KernelCodec
    from .text_codecs import BagCodec, UnionCodec, WeightingCodec
    from .transformer_codecs import ScalerCodec

    bags = BagCodec(Bag, "BagOfWords")
    texts = [bags, UnionCodec(Union, bags), WeightingCodec(Weighting, "TermWeighting")]
    kernels = [
        KernelCodec(getattr(fitting, name), counter, f"{name}Classifier") for name, counter in KERNEL.items()
    ]
    return Models([ScalerCodec(fitting.Scaler), *texts, *LINEAR_CODECS, *kernels], fitting.Pipeline)


def save_plain(model: object, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a plain model to a file, the same file that `fastsvm.save_model` writes for estimators.

    Parameters
    ----------
    model : SDCA, ASDCA, Pegasos, Perceptron, KernelSDCA, KernelPegasos, Scaler, Bag, Union, Weighting, or a
        Pipeline of these
    path : str or path-like
        The model file.
    about : dict, optional
        Further facts about the model, as JSON; `load_about` returns them. Its `training_items`, if there are
        any, are an array of uint8 of shape (n, 5) or (n,): hashes of what the model has learned from.

    Raises
    ------
    ModelFileError, OSError
        As `fastsvm.save_model` does.
    """
    alone = type(model) in LINEAR
    models = Models(LINEAR_CODECS, fitting.Pipeline) if alone else _all_models()
    models.save(model, path, about)


def load_plain(path: str | os.PathLike[str]) -> Any:
    """Read a plain model from a file that `save_plain` or `fastsvm.save_model` wrote.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    model
        A model that `save_plain` takes.

    Raises
    ------
    ModelFileError
        As `fastsvm.load_model` does; and if a step of the model needs scikit-learn.
    OSError
        If the file cannot be read.
    """
    return load_with_about(path)[0]


def load_with_about(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read what `load_plain` and `load_about` do, in one pass.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    model
        As `load_plain` returns it.
    about : dict
        As `load_about` returns it.

    Raises
    ------
    ModelFileError, OSError
        As `load_plain` does.
    """
    return _all_models().load_with_about(path)


def load_about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the `about` that a model was saved with.

    Parameters
    ----------
    path : str or path-like
        A file that `save_plain` or `fastsvm.save_model` wrote.

    Returns
    -------
    dict
        Empty if the model was saved without it.

    Raises
    ------
    ModelFileError, OSError
        If the file cannot be read, or is not a model.
    """
    with named_errors(path):
        return open_model(path)[1]
