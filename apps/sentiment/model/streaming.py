"""Train a classifier on more texts than memory holds: two passes, and a matrix on disk between them.

The first pass counts terms, batch by batch, into files that are merged: the vocabulary is the one that all
texts at once would give. The second weighs the terms of each text, and writes the rows of the matrix that the
classifier is fitted from, window by window.
"""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fastsvm.atomic import temporary_folder
from fastsvm.fitting import Pipeline
from fastsvm.io import MatrixWriter, load
from fastsvm.model_files import save_plain
from fastsvm.text import Bag, SpilledTerms, TermFrequencies, Terms, Weighting, has_markup

from ...common.errors import USAGE, AppError, Skipped
from ...common.files import check_model_path
from ...common.progress import UNWATCHED, Stages
from ..data.corpus import MOST_LABELS, Source
from ..data.passes import Batch, batches
from . import steps
from .alpha_choice import Choice
from .calibration import LeftOut, calibration_error
from .counted import Counted, is_automatic
from .kept import NOTHING, Kept, settings_of
from .metrics import SKEWED
from .scores import HeldOut, scores_of, trial_of
from .settings import AUTO, DEFAULT, METRICS, Settings
from .training import ACCURATE, Training, top_words

MOST_TERMS = 2_000_000  # of a model; where more are frequent enough, --min-df is raised
SAMPLE = 20_000  # training texts that alpha is chosen on
CALIBRATED = 0.02  # share of the texts that probabilities are learned from
TRAIN, CALIBRATE, TRY = "train", "calibrate", "try"  # parts of a corpus


@dataclass
class _Seen:
    """What the first pass finds."""

    skipped: Skipped
    settings: Settings
    terms: TermFrequencies
    label_counts: dict[str, int]
    train_counts: Counter[str]
    sample: tuple[list[str], list[str]]

    @property
    def labels(self) -> list[str]:
        """Those of the training texts, sorted."""
        return sorted(self.train_counts)

    def parts(self) -> dict[str, Any]:
        """Take it to pieces that can be kept."""
        terms, by_class, min_df = self.terms
        pieces = {**vars(self), "skipped": vars(self.skipped), "settings": vars(self.settings)}
        del pieces["terms"]
        return {
            **pieces,
            "content": terms.content,
            "ends": terms.ends,
            "by_class": by_class,
            "min_df": min_df,
        }

    @classmethod
    def of(cls, *, content, ends, by_class, min_df, skipped, settings, train_counts, **rest) -> "_Seen":
        """Put the pieces together again."""
        return cls(
            skipped=Skipped(**{**skipped, "kinds": Counter(skipped["kinds"])}),
            settings=settings_of(settings),
            terms=TermFrequencies(Terms(content, ends), by_class, min_df),
            train_counts=Counter(train_counts),
            **rest,
        )


@dataclass
class _Sample:
    """The training texts of the lowest places: a sample without knowing how many texts will come."""

    items: list[tuple[float, str, str]] = field(default_factory=list)

    def add(self, batch: Batch, rows: Sequence[int]) -> None:
        self.items += [(batch.places[i], batch.labels[i], batch.texts[i]) for i in rows]
        self.items = sorted(self.items)[:SAMPLE]

    def texts(self) -> tuple[list[str], list[str]]:
        return [text for _, _, text in self.items], [label for _, label, _ in self.items]


def train_streamed(
    source: Source,
    model_path: str | None,
    settings: Settings = ACCURATE,
    *,
    kept: Kept = NOTHING,
    stage: Stages = UNWATCHED,
) -> Training:
    """Train a classifier on a corpus that is larger than memory, try it on texts held out, and save it.

    The texts held out are drawn by their hash, so that copies of a text are on one side. Alpha is chosen on a
    sample, such that a text weighs as much against the regularisation there as in all of them; probabilities
    are learned from texts that are neither trained on nor tried. The model saved is the one that was tried.

    Parameters
    ----------
    source : Source
        A file or a folder; it is read twice.
    model_path : str or None
        As in `training.train`.
    settings : Settings
        Of words; without a choice of recipes or of features.
    kept : Kept, optional
        Where terms, alpha, rows and the fit are kept; it goes on after the last of them.
    stage : Stages, optional
        Times the stages.

    Returns
    -------
    Training
    """
    _check(settings)
    if settings.recipe == AUTO:
        settings = replace(settings, recipe=DEFAULT)
    if model_path is not None:
        check_model_path(model_path)
    with kept.workplace(_place_of(model_path)) as folder:
        with stage("count terms"):
            seen = kept.result("terms", lambda: _count(source, settings, folder), _Seen.of, _Seen.parts)
        settings, choice = seen.settings, None
        if is_automatic(settings):
            choice = kept.result("choose alpha", lambda: _choose_alpha(source, seen, stage), Choice)
            settings = replace(settings, alpha=choice and _for_all(choice.alpha, seen))
        with stage("vectorize"):
            vectorizer, weighting = _weighed(seen)
            rows = folder / "rows"
            written = kept.result(
                "rows",
                lambda: _write(source, seen, vectorizer, weighting, rows, kept.folder is not None),
                dict,
                dict,
            )
        with stage("train"):
            estimator = _fit(settings, seen.labels, rows / TRAIN, kept.fit("train"))
        with stage("evaluate"):
            left_out = _calibrate(settings, estimator, rows, written)
            held_out = _try_on(estimator, rows, written)
    named = ("vectorizer", vectorizer), ("weighting", weighting), ("classifier", estimator)
    model = Pipeline([(name, step) for name, step in named if step is not None])
    if model_path is not None:
        with stage("save"):
            save_plain(model, model_path)
    return _result(model_path, settings, seen, choice, left_out, model, held_out, written)


def _check(settings: Settings) -> None:
    """Refuse what needs all texts at once."""
    steps.classifier(replace(settings, alpha=None) if is_automatic(settings) else settings)  # may complain
    if settings.chars is not None or settings.k is not None or settings.ngrams is None:
        raise AppError(
            "--stream counts words, and keeps all that are frequent; leave out --chars and --k", USAGE
        )


def _place_of(model_path: str | None) -> Path:
    """Return where files of the size of the corpus are to go: beside the model."""
    return Path(tempfile.gettempdir()) if model_path is None else Path(model_path).resolve().parent


def _part(settings: Settings, place: float) -> str:
    if place < settings.holdout:
        return TRY
    return CALIBRATE if place < settings.holdout + CALIBRATED * (1 - settings.holdout) else TRAIN


def _rows(settings: Settings, batch: Batch, part: str) -> list[int]:
    return [i for i, place in enumerate(batch.places) if _part(settings, place) == part]


def _count(source: Source, settings: Settings, folder: Path) -> _Seen:
    """Make the first pass, with files in a folder."""
    with temporary_folder(folder) as spills:
        return _counted(source, settings, SpilledTerms(spills))


def _counted(source: Source, settings: Settings, spilled: SpilledTerms) -> _Seen:
    sample = _Sample()
    every: Counter[str] = Counter()
    train: Counter[str] = Counter()
    codes: dict[str, int] = {}
    with batches(source, settings.seed) as (format, skipped, found):
        tokens = settings.tokens or ("split" if format == "corpus" else "words")
        settings = replace(settings, tokens=tokens)
        for number, batch in enumerate(found):
            if not number:  # as its first texts have markup, or not, so do the others
                markup = not settings.keep_markup and any(map(has_markup, batch.texts))
                settings = replace(settings, markup=markup)
            rows = _rows(settings, batch, TRAIN)
            every.update(batch.labels)
            train.update(batch.labels[i] for i in rows)
            if len(every) > MOST_LABELS:
                raise AppError(
                    f"{source.name}: more than {MOST_LABELS:,} labels; is the format right (--format), and "
                    "the column (--label-col)?"
                )
            for label in batch.labels:
                codes.setdefault(label, len(codes))
            sample.add(batch, rows)
            _spill(spilled, settings, batch, rows, codes)
    if len(train) < 2:
        n = f"{len(train)} label{'' if len(train) == 1 else 's'}"
        raise AppError(f"{source.name}: {n} to train on; give texts with two labels or more")
    merged = spilled.merged(len(codes), settings.min_df, MOST_TERMS)
    if not len(merged.terms):
        raise AppError(f"{source.name}: no term is in {settings.min_df} of its texts or more; try --min-df 1")
    columns = [codes[label] for label in sorted(train)]
    terms = merged._replace(by_class=merged.by_class[:, columns])
    settings = _with_metric(replace(settings, min_df=merged.min_df), train)
    return _Seen(skipped, settings, terms, dict(sorted(every.items())), train, sample.texts())


def _spill(spilled: SpilledTerms, settings: Settings, batch: Batch, rows: list[int], codes: dict) -> None:
    vectorizer = steps.vectorizer(replace(settings, min_df=1), np.float32)
    try:
        X = vectorizer.fit_transform([batch.texts[i] for i in rows])
    except ValueError:  # no words in any of them
        return
    X.data[:] = 1
    own = [codes[batch.labels[i]] for i in rows]
    classes = csr_matrix((np.ones(len(rows)), (range(len(rows)), own)), (len(rows), len(codes)))
    spilled.add(vectorizer.terms_, (X.T @ classes).toarray())


def _with_metric(settings: Settings, counts: Counter[str]) -> Settings:
    """Return the settings with what follows from how many texts have each label, as for texts in memory."""
    skewed = max(counts.values()) > SKEWED * counts.total()
    if settings.class_weight is None and skewed and len(counts) == 2:
        aim = settings.metric if settings.metric in ("accuracy", "balanced-accuracy") else "macro-f1"
        settings = replace(settings, class_weight="balanced", threshold=aim)
    return replace(settings, metric=settings.metric or METRICS[int(skewed)])


def _choose_alpha(source: Source, seen: _Seen, stage: Stages) -> Choice | None:
    texts, y = seen.sample
    settings = replace(seen.settings, min_df=min(seen.settings.min_df, 2))
    return Counted.of(source, texts, y, settings).choose(settings, stage)


def _for_all(alpha: float, seen: _Seen) -> float:
    """Return the alpha at which a text weighs as much as it did in the sample."""
    return alpha * len(seen.sample[0]) / seen.train_counts.total()


def _weighed(seen: _Seen) -> tuple[Bag, Weighting | None]:
    vectorizer = steps.vectorizer(seen.settings, np.float32).take(seen.terms.terms)
    weighting = steps.weighting(seen.settings)
    if weighting is not None:
        weighting.fit_frequencies(seen.terms.by_class, seen.train_counts.total())
    return vectorizer, weighting


def _write(
    source: Source, seen: _Seen, vectorizer, weighting, folder: Path, keep: bool
) -> dict[str, list[str]]:
    """Make the second pass: a matrix on disk of each part; the labels of those that are not trained on.

    To keep is to make sure of each batch's rows; a batch whose rows are in the folder already is but read.
    """
    numbers = {label: code for code, label in enumerate(seen.labels)}
    labels: dict[str, list[str]] = {CALIBRATE: [], TRY: []}
    parts = [part for part in (TRAIN, CALIBRATE, TRY) if not (folder / part).exists()]
    writers = {part: MatrixWriter(folder / part, source=source.path) for part in parts}
    with batches(source, seen.settings.seed) as (_, _, found):
        for number, batch in enumerate(found, 1):
            rows = {part: _rows(seen.settings, batch, part) for part in (TRAIN, CALIBRATE, TRY)}
            for part in labels:
                labels[part] += [batch.labels[i] for i in rows[part]]
            left = [part for part, writer in writers.items() if number > (writer.position or 0)]
            if not left:
                continue
            X = vectorizer.transform(batch.texts)
            X = X if weighting is None else weighting.transform(X)
            for part in left:
                own = [numbers.get(batch.labels[i], -1) for i in rows[part]]
                writers[part].append(X[rows[part]], own)
                if keep:
                    writers[part].save(number)
    for writer in writers.values():
        with writer:
            if writer.rows:
                writer.finish(n_features=len(seen.terms.terms))
    return labels


def _fit(settings: Settings, labels: list[str], folder: Path, checkpoint: Path | None):
    """Fit to the matrix on disk; labels are numbers there, in whose place the model has the texts."""
    estimator = steps.classifier(settings)
    if isinstance(estimator.class_weight, dict):
        weights = estimator.class_weight
        unknown = set(weights) - set(labels)
        if unknown:
            raise AppError(f"--class-weight: the corpus has no label {min(unknown)!r}", USAGE)
        estimator.set_params(class_weight={labels.index(label): c for label, c in weights.items()})
    X, y = load(folder)
    steps.fit_classifier(estimator, X, y, checkpoint)
    estimator.classes_ = np.array(labels)
    estimator.class_weight = steps.class_weight(settings)
    return estimator


def _decision(estimator, folder: Path) -> np.ndarray:
    return estimator.decision_function(load(folder).X).astype(np.float32)


def _calibrate(settings: Settings, estimator, folder: Path, written: dict[str, list[str]]) -> LeftOut | None:
    """Learn probabilities, and move the scores where there is a threshold; None where texts are too few."""
    y = np.array(written[CALIBRATE])
    known = np.isin(y, estimator.classes_)
    if len(np.unique(y[known])) < len(estimator.classes_):
        return None
    decision = _decision(estimator, folder / CALIBRATE)[known]
    left_out = LeftOut(estimator.classes_, y[known], decision).shifted(settings.threshold)
    if len(estimator.classes_) == 2:
        estimator.intercept_ = estimator.intercept_ - np.float32(left_out.shift)
    estimator.calibration_ = left_out.calibration(estimator.classes_)
    return left_out


def _try_on(estimator, folder: Path, written: dict[str, list[str]]) -> HeldOut | None:
    if not written[TRY]:
        return None
    decision = _decision(estimator, folder / TRY)
    likely = estimator.calibration_.probabilities(decision) if hasattr(estimator, "calibration_") else None
    return HeldOut([], written[TRY], decision, likely)


def _result(model_path, settings, seen, choice, left_out, model, held_out, written) -> Training:
    estimator, classes = model["classifier"], model.classes_
    gap = getattr(estimator, "dual_gap_", None)
    tried = {"scores": None, "trial": None, "calibration": None}
    if held_out is not None:
        likely, y = held_out.probabilities, held_out.labels
        tried = {
            "scores": scores_of(classes, held_out),
            "trial": trial_of(settings.metric, classes, held_out, seen.train_counts),
            "calibration": None if likely is None else calibration_error(classes, y, likely),
        }
    n_train = seen.train_counts.total()
    return Training(
        model=model_path,
        settings=replace(settings, alpha=getattr(estimator, "alpha", None)),
        screening=None,
        choice=choice,
        shift=left_out.shift if left_out else 0.0,
        label_counts=seen.label_counts,
        n_train=n_train,
        n_test=len(written[TRY]),
        n_fitted=n_train,
        n_features_seen=len(seen.terms.terms),
        n_features=estimator.n_features_in_,
        **tried,
        learning_curve=[],
        cross_validation=None,
        n_iter=np.asarray(estimator.n_iter_).tolist(),
        objective=np.asarray(estimator.objective_).tolist(),
        gap=None if gap is None else np.asarray(gap).tolist(),
        relative_gap=None if gap is None else np.divide(gap, estimator.objective_).tolist(),
        sides=top_words(model, 10),
        skipped=seen.skipped,
        fitted=model,
        held_out=held_out,
        tried=model if held_out is not None else None,
    )
