"""Results as the commands print them: tables for people, records for --json and --csv."""

import sys
from itertools import zip_longest

import numpy as np

from ...common.output import fields, print_confusion, print_heading, print_line, print_table, print_times
from ...common.tables import csv_writer
from ..data.corpus import Source
from ..model.alpha_choice import Choice
from ..model.diagnostics import label_scores
from ..model.scores import Scores
from ..model.settings import spelled
from ..model.training import Side, Training

LABELS_CROSSED = 20  # of more there is no confusion table


def training_record(result: Training, seconds: dict[str, float]) -> dict:
    """Return what `train --json` prints."""
    settings = result.settings
    return {
        "model": result.model,
        **fields(settings, "classifier", "alpha"),
        "alpha_choice": _choice_record(result.choice),
        "weighting": settings.weighting,
        "ngrams": spelled(settings.ngrams),
        **fields(settings, "min_df", "tokens"),
        "k": "all" if settings.k is None else settings.k,
        "seed": settings.seed,
        **fields(result, "label_counts", "n_train", "n_test", "n_features_seen", "n_features"),
        **_scores_record(result.scores),
        **fields(result, "n_iter", "objective", "gap", "relative_gap"),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_training(result: Training, seconds: dict[str, float], source: Source) -> None:
    """Print what `train` did."""
    n, settings = result.n_train + result.n_test, result.settings
    print_line(f"{source.name}: {n:,} texts, {result.n_train:,} to train on and {result.n_test:,} held out")
    every = result.n_features == result.n_features_seen
    rare = "" if settings.min_df == 1 else f" in {settings.min_df} texts or more"
    kept = "all" if every else f"{result.n_features:,}"
    print_line(f"{result.n_features_seen:,} features{rare}, {kept} kept, weighed by {settings.weighting}")
    print_heading("Labels")
    print_table(("label", "texts"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    print_heading("Held-out texts")
    if result.scores:
        print_scores(result.scores)
    else:
        print_line("none: --holdout 0 trains on every text")
    if result.choice:
        print_choice(result.choice)
    print_heading("Certificate", certificate(result))
    print_times(seconds)
    print_heading("Top words")
    print_sides(result.sides)
    print_heading("Model", result.model)


def print_choice(choice: Choice) -> None:
    """Print the accuracy at each alpha that was tried, and the alpha that was taken."""
    n_folds = choice.scores.shape[1]
    turns = f", {n_folds} parts in turn" if n_folds > 1 else ""
    best = f"{choice.alpha:g}, the best on {choice.n_tried:,} training texts left out{turns}"
    print_heading("Alpha", best, "")
    rows = [
        (f"{alpha:g}", f"{accuracy:.4f}", f"{gap:.1e}")
        for alpha, accuracy, gap in zip(choice.alphas, _means(choice), choice.gaps.max(axis=1), strict=True)
    ]
    print_table(("alpha", "accuracy", "relative gap"), rows)


def certificate(result: Training) -> str:
    """Say in plain words how near the optimum the classifier is."""
    if result.relative_gap is None:
        return f"none: the {result.settings.classifier} has no dual problem to bound its loss from below"
    gap = np.max(result.relative_gap)
    which = "" if np.ndim(result.relative_gap) == 0 else "largest "
    return f"{which}relative gap {gap:.1e}: no weights have an objective lower by more than {100 * gap:.2g} %"


def print_scores(scores: Scores) -> None:
    """Print the accuracy and the confusion table; of many labels, how each does."""
    low, high = scores.interval
    print_line(
        f"accuracy {scores.accuracy:.4f} on {scores.n:,} texts (95 % interval {low:.4f} to {high:.4f})"
    )
    print_line("")
    if len(scores.labels) > LABELS_CROSSED:
        rows = [
            (each.label, f"{each.n:,}", *("-" if share is None else f"{share:.4f}" for share in each[2:]))
            for each in label_scores(scores)
        ]
        print_table(("label", "texts", "precision", "recall", "F1"), rows)
        return
    print_confusion(scores.labels, scores.confusion)


def words_record(sides: list[Side]) -> dict:
    """Return what `words --json` prints."""
    return {"words": {side.label: [item._asdict() for item in side.words] for side in sides}}


def print_words_csv(sides: list[Side], raw: bool = False) -> None:
    """Print a CSV table of all words."""
    write = csv_writer(sys.stdout, raw=raw)
    write(("label", "word", "weight"))
    for side in sides:
        for item in side.words:
            write((side.label, *item))


def print_sides(sides: list[Side], abreast: int = 3) -> None:
    """Print the top words of each label, a pair of columns each; the second of two labels comes first."""
    sides = sides[::-1] if len(sides) == 2 else sides
    for start in range(0, len(sides), abreast):
        if start:
            print_line("")
        group = sides[start : start + abreast]
        header, columns = [], []
        for side in group:
            header += [side.label, "weight"]
            columns += [[item.word for item in side.words], [f"{item.weight:+.4f}" for item in side.words]]
        print_table(header, zip_longest(*columns, fillvalue=""), text_columns=range(0, len(header), 2))


def _means(choice: Choice) -> list[float]:
    return choice.scores.mean(axis=1).tolist()


def _choice_record(choice: Choice | None) -> dict | None:
    if choice is None:
        return None
    return {
        "alphas": choice.alphas.tolist(),
        "accuracies": _means(choice),
        "relative_gaps": choice.gaps.max(axis=1).tolist(),
        "n_folds": choice.scores.shape[1],
        "n_tried": choice.n_tried,
    }


def _scores_record(scores: Scores | None) -> dict:
    if scores is None:
        return dict.fromkeys(("accuracy", "accuracy_interval", "labels", "confusion"))
    interval = {"accuracy_interval": list(scores.interval)}
    return {"accuracy": scores.accuracy, **interval, **fields(scores, "labels", "confusion")}
