"""The first pass over a corpus larger than memory: its terms, counted batch by batch, and a sample.

Terms are spilled to files that are merged. The vocabulary is the same as from all texts at once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm._utils.atomic import temporary_folder
from fastsvm.fitting import Pipeline
from fastsvm.text import SpilledTerms, TermFrequencies, Terms

from ...common.errors import USAGE, Skipped
from ...common.training_items import text_hashes
from ..data.corpus import MOST_LABELS, SHARD, Batches, PlacedText, in_pieces, labelled_batches, nothing_usable
from ..data.label_fields import SEVERAL, separator_of
from ..data.text_source import CorpusError, TextSource
from ..settings import Settings, check_labels, settle_labels, settle_reading
from ..text_recipes import AUTO, DEFAULT_RECIPE, UNSEGMENTED, is_unsegmented
from . import pipeline_steps

MOST_TERMS = 2_000_000  # of a model; if more are frequent enough, min-df is raised
SAMPLE = 20_000  # training texts that alpha is chosen on
CALIBRATED = 0.02  # share of the texts that probabilities are learned from
PARTS = TRAIN, CALIBRATE, TRY = "train", "calibrate", "try"  # of a corpus


class CorpusTerms:
    """The result of the first pass: terms, labels, a training sample, and hashes of the texts not held out.

    Parameters
    ----------
    parts : mapping
        What `count_corpus_terms` returned, now or in a run that was killed.

    Attributes
    ----------
    others : dict
        The labels of the texts that are not trained on, by part.
    """

    def __init__(self, parts: Mapping[str, Any]) -> None:
        skipped, settings = parts["skipped"], parts["settings"]
        self.skipped = Skipped(**{**skipped, "kinds": Counter(skipped["kinds"])})
        self.settings = Settings(**{name: _lists_as_tuples(value) for name, value in settings.items()})
        terms = Terms(parts["content"], parts["ends"])
        self.terms = TermFrequencies(terms, parts["by_class"], parts["min_df"])
        self.label_counts, self.train_counts = parts["label_counts"], Counter(parts["train_counts"])
        self.labels = sorted(self.train_counts)  # those of the training texts
        self.sample, self.hashes, self.others = parts["sample"], parts["hashes"], parts["others"]

    def weighed(self) -> Pipeline:
        """Return the steps from texts to weighed terms."""
        steps = [("vectorizer", pipeline_steps.vectorizer(self.settings, np.float32).take(self.terms.terms))]
        weighting = pipeline_steps.weighting(self.settings)
        if weighting is not None:
            weighting.fit_frequencies(self.terms.by_class, self.train_counts.total())
            steps.append(("weighting", weighting))
        return Pipeline(steps)


def _lists_as_tuples(value: Any) -> Any:
    """Return the tuples that JSON has turned into lists."""
    return tuple(map(_lists_as_tuples, value)) if isinstance(value, list) else value


CodedTexts = tuple[list[str], list[int], int]  # training texts, the code of the label of each, labels so far
TermTally = tuple[Terms, np.ndarray]  # terms, and in how many texts of each label each term occurs


def tally_terms(coded: CodedTexts, settings: Settings, n_jobs: int = -1) -> TermTally | None:
    """Count terms with `n_jobs` threads; return None if there are none."""
    texts, codes, n_labels = coded
    vectorizer = pipeline_steps.vectorizer(replace(settings, min_df=1), np.float32).set_params(n_jobs=n_jobs)
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError:  # no words in any of them
        return None
    X.data[:] = 1
    n = len(texts)
    classes = csr_matrix((np.ones(n), (range(n), codes)), (n, n_labels))
    return vectorizer.terms_, (X.T @ classes).toarray()


def batch_pieces(settings: Settings, found: Batches) -> Batches:
    """Yield batches; if characters are counted, which make more terms, yield the batches in pieces."""
    for batch in found:
        yield from [batch] if settings.chars is None else in_pieces(batch, SHARD)


def rows_of_part(settings: Settings, batch: list[PlacedText], part: str) -> list[int]:
    """Return the places in a batch of the texts that belong to a part of the corpus."""
    end = settings.holdout + CALIBRATED * (1 - settings.holdout)
    low, high = {TRY: (0, settings.holdout), CALIBRATE: (settings.holdout, end), TRAIN: (end, 1)}[part]
    return [i for i, (place, _, _) in enumerate(batch) if low <= place < high]


def count_corpus_terms(
    source: TextSource,
    settings: Settings,
    folder: Path,
    *,
    cut: Callable[[Settings, Batches], Batches] = batch_pieces,
    tallied: Callable[[Iterable[CodedTexts], Settings], Iterable[TermTally | None]] | None = None,
) -> dict[str, Any]:
    """Make the first pass, and return the parts of `CorpusTerms`, which a cache can hold.

    Parameters
    ----------
    source : TextSource
    settings : Settings
    folder : Path
        For files as large as the corpus, which are removed in the end.
    cut : callable, optional
        Cuts batches into pieces that are tallied one by one.
    tallied : callable, optional
        Tallies pieces, some of which it may take in advance, and yields the tallies in order.

    Raises
    ------
    AppError
        If there are too few labels, too many labels, or no terms.
    """
    with (
        temporary_folder(folder) as spills,
        labelled_batches(source, settings.seed) as (format, skipped, batches),
    ):
        spilled, first = SpilledTerms(spills), [*islice(batches, 1)]
        # The first texts decide whether the corpus has markup, and blanks between words.
        texts = [text for batch in first for _, _, text in batch]
        _check_one_label(source, [label for batch in first for _, label, _ in batch], skipped)
        settings = settle_reading(settings, format, texts)
        if settings.recipe == AUTO:
            settings = settings.with_features_of(UNSEGMENTED[0] if is_unsegmented(texts) else DEFAULT_RECIPE)
        del texts
        counted = _FirstPass(settings)
        texts = counted.coded(cut(settings, _popped_batches(first, batches)))
        here = (tally_terms(coded, settings) for coded in texts)
        for tally in here if tallied is None else tallied(texts, settings):
            if tally is not None:
                spilled.add(*tally)
        if not counted.every:
            raise nothing_usable(skipped, format)
        return counted.merged(spilled) | {"skipped": vars(skipped)}


def _check_one_label(source: TextSource, labels: list[str], skipped: Skipped) -> None:
    """Refuse a corpus whose first texts have several labels."""
    separator = separator_of(labels) if source.label_separator is None else source.label_separator
    if separator or (source.label_separator is None and skipped.kinds[SEVERAL]):
        how = f" (separated by {separator!r})" * bool(separator)
        told = f"texts have several labels{how}, which --stream and --scheduler cannot learn"
        otherwise = "leave out this option, or give --label-sep '' to take each field as one label"
        raise CorpusError(f"{told}; {otherwise}", USAGE)


def _popped_batches(first: list[list[PlacedText]], others: Batches) -> Batches:
    """Yield the batches of the list, which then leave memory, and the others."""
    while first:
        yield first.pop()
    yield from others


class _FirstPass:
    """The counts of the first pass, batch by batch."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.every: Counter[str] = Counter()
        self.train: Counter[str] = Counter()
        self.sample: list[PlacedText] = []
        self.hashes: list[np.ndarray] = []
        self.others: dict[str, list[str]] = {CALIBRATE: [], TRY: []}

    @property
    def codes(self) -> dict[str, int]:
        """A number for each label, in order of first occurrence."""
        return {label: code for code, label in enumerate(self.every)}

    def coded(self, found: Batches) -> Iterator[CodedTexts]:
        """Yield the training texts."""
        for batch in found:
            parts = {part: [batch[i] for i in rows_of_part(self.settings, batch, part)] for part in PARTS}
            for part, labels in self.others.items():
                labels += [label for _, label, _ in parts[part]]
            train = parts[TRAIN]
            self.every.update(label for _, label, _ in batch)
            self.train.update(label for _, label, _ in train)
            if len(self.every) > MOST_LABELS:
                raise CorpusError(f"more than {MOST_LABELS:,} labels; check --format and --label-col")
            # The texts with the lowest numbers are a random sample, however many texts will come.
            self.sample = sorted(self.sample + train)[:SAMPLE]
            self.hashes.append(text_hashes(text for _, _, text in train + parts[CALIBRATE]))
            codes = self.codes
            yield [text for _, _, text in train], [codes[label] for _, label, _ in train], len(codes)

    def merged(self, spilled: SpilledTerms) -> dict[str, Any]:
        """Merge the terms of all texts."""
        settings, train, codes = self.settings, self.train, self.codes
        check_labels(self.every)
        if len(train) < 2:
            raise CorpusError("the training texts have fewer than two labels; add texts, or give --holdout 0")
        (terms, by_class, min_df) = spilled.merged(len(codes), settings.min_df, MOST_TERMS)
        if not len(terms):
            raise CorpusError(f"no term occurs in {settings.min_df} texts or more; try --min-df 1")
        return {
            "content": terms.content,
            "ends": terms.ends,
            "by_class": by_class[:, [codes[label] for label in sorted(train)]],
            "min_df": min_df,
            "settings": vars(settle_labels(replace(settings, min_df=min_df), train)),
            "label_counts": dict(sorted(self.every.items())),
            "train_counts": train,
            "sample": ([text for _, _, text in self.sample], [label for _, label, _ in self.sample]),
            "hashes": np.concatenate(self.hashes),
            "others": self.others,
        }
