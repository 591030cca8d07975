"""Models for other programs, and smaller ones: pruned, or in the format of LIBLINEAR.

LIBLINEAR
---------
The model file is the one that LIBLINEAR's `save_model` writes. Features are numbered from 1, in the order of
the lines of the vocabulary file beside it (`FILE.vocabulary.tsv`). Lines of this file that begin with `#`
tell the number of each label, how a text becomes terms, and how the value of a feature is computed. The
other lines have the columns feature, term and factor. Two labels are -1 and 1; more labels are 1, 2, 3 ...
in the order of the model. The factors of the weighting are part of `w`, and the file has only factors of 1.
But if rows are scaled to length 1, which comes between the factors and `w`, the file has the factors.
"""

import json
import os
from collections.abc import Mapping
from functools import reduce
from typing import Any

import numpy as np

import fastsvm
from fastsvm.fitting import Pipeline
from fastsvm.model_files import save_plain
from fastsvm.text import lower_without_markup

from ...common.errors import USAGE, AppError
from ...common.files import replace_file
from ...common.liblinear_files import write_liblinear
from ...common.paths import KINDS, Writes
from ..measures.prediction import is_of_words, thresholds_of
from ..measures.term_effects import check_linear, of_terms, term_effect, weighted_rows

VOCABULARY = ".vocabulary.tsv"
VOCABULARY_START = KINDS["vocabulary"].start.decode()


def export_model(
    model: Pipeline, path: str, to: str, about: Mapping[str, Any] | None = None, **cut: float | None
) -> tuple[dict, list[str]]:
    """Write a model in another form.

    Parameters
    ----------
    model : Pipeline
        A vectorizer, perhaps a weighting, and a linear classifier.
    path : str
        File to write. An existing file is replaced only if it is of the same kind.
    to : {"pruned", "liblinear"}
        A smaller model of this app, or one for LIBLINEAR; see the top of this module.
    about : mapping, optional
        The `about` of the model's file, which a smaller model keeps.
    keep, min_weight : optional
        As for `prune_model`.

    Returns
    -------
    dict, list of str
        The number of terms before and after, and the bytes of each file; and notes on the files.
    """
    check_linear(model, "export")
    Writes("safetensors" if to == "pruned" else to).check(path, "-o")
    if to == "liblinear":
        Writes("vocabulary").check(path + VOCABULARY, "-o")
        if not is_of_words(model):
            told = "a model of words, and this one counts characters; train one with --recipe nb-words"
            raise AppError(f"--to {to} needs {told}")
        if thresholds_of(model) is not None:
            raise AppError(f"--to {to} needs a model of one label per text; give --to pruned", USAGE)
        if hasattr(model["classifier"], "squares_"):
            told = "needs a model that scales texts alike for all labels"
            other = "each label of this one has a length of its own"
            raise AppError(f"--to {to} {told}, and {other}; train one with --recipe nb-words --stream")
    n_before = model["classifier"].coef_.shape[1]
    if any(each is not None for each in cut.values()):
        model = prune_model(model, **cut)
    if to == "liblinear":
        files = _write_liblinear(model, path)
    else:
        files = [path]
        (save_plain if isinstance(model, Pipeline) else fastsvm.save_model)(model, path, about)
    n_terms, notes = model["classifier"].coef_.shape[1], []
    if term_effect(model).norm:
        if n_terms < n_before:
            notes.append("texts are scaled to length 1 over the kept terms, so their scores differ slightly")
        if to == "liblinear":
            notes.append(f"scale the values of each text to length 1, as {path}{VOCABULARY} describes")
    sizes = {file: os.path.getsize(file) for file in files}
    return {"to": to, "n_terms": n_terms, "n_terms_before": n_before, "bytes": sizes}, notes


def prune_model(model: Pipeline, keep: int | None = None, min_weight: float | None = None) -> Pipeline:
    """Return a model of only the terms with the largest effective weights.

    The effective weight of a term is the largest absolute value of its weights for the labels, times the
    factor of the weighting. The contributions of the kept terms stay the same, unless rows are scaled to
    length 1, which is then the length over these terms.

    Parameters
    ----------
    model : Pipeline
    keep : int, optional
        Number of terms to keep.
    min_weight : float, optional
        Keep the terms of at least this effective weight.
    """
    sizes = reduce(np.maximum, map(np.abs, weighted_rows(model)))
    order = np.argsort(-sizes, kind="stable")[:keep]
    if min_weight is not None:
        order = order[sizes[order] >= min_weight]
        if not len(order):
            told = f"no term has a weight of {min_weight:g} or more"
            raise AppError(f"{told}; the largest is {sizes.max():g}", USAGE)
    return of_terms(model, np.sort(order))


def _tokenisation_options(vectorizer) -> dict:
    pattern = r"\S+" if vectorizer.analyzer == "split" else vectorizer.token_pattern
    return {
        "lowercase": vectorizer.lowercase,
        **({"marks": "NFC, and in words"} if getattr(vectorizer, "marks", False) else {}),
        **({"markup": "html"} if vectorizer.preprocessor is lower_without_markup else {}),
        "accents": vectorizer.strip_accents,
        "token_pattern": pattern.removeprefix("(?u)"),
        "stop_words": sorted(vectorizer.get_stop_words() or ()),
        "ngrams": list(vectorizer.ngram_range),
    }


_VALUES = {"count": "the count of the term", "binary": "1", "log": "1 + ln(count of the term)"}


def _write_liblinear(model: Pipeline, path: str) -> list[str]:
    weighting, classifier, vectorizer = term_effect(model), model["classifier"], model["vectorizer"]
    coef, factors, value = classifier.coef_.astype(float), weighting.factors, _VALUES[weighting.value]
    if weighting.norm is None:
        coef, factors = np.array([*weighted_rows(model)]), np.ones_like(factors)
    else:
        value += f", times factor, each row then divided by its {weighting.norm} norm"
    names = [str(label) for label in classifier.classes_.tolist()]
    numbers = [-1, 1] if len(names) == 2 else list(range(1, len(names) + 1))
    words = vectorizer.get_feature_names_out().tolist()
    rows = enumerate(zip(words, factors.tolist(), strict=True), 1)
    lines = [
        VOCABULARY_START,
        *(f"# label {number}: {json.dumps(name)}" for number, name in zip(numbers, names, strict=True)),
        f"# terms: {json.dumps(_tokenisation_options(vectorizer))}",
        f"# value of a feature: {value}",
        "feature\tterm\tfactor",
        *(f"{i}\t{word}\t{factor!r}" for i, (word, factor) in rows),
        "",
    ]
    objective = getattr(classifier, "loss", None), getattr(classifier, "penalty", "l2")
    content = write_liblinear(objective, numbers, coef, classifier.intercept_)
    replace_file(path + VOCABULARY, "\n".join(lines).encode())
    replace_file(path, content)
    return [path, path + VOCABULARY]
