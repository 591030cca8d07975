"""Results as the commands print them: tables for people, records for --json and --csv."""

import sys
from dataclasses import asdict
from itertools import zip_longest

import numpy as np

from ...common.output import (
    fields,
    print_confusion,
    print_heading,
    print_line,
    print_table,
    print_times,
    printable,
)
from ...common.tables import csv_writer
from ..jobs.trained import Side, Training
from ..learning import steps
from ..learning.alpha_choice import Choice
from ..learning.recipe_choice import Screening
from ..learning.validation import CrossValidation
from ..measures.diagnostics import label_scores
from ..measures.scores import Scores
from ..settings import Settings, spelled
from .terms import shown

LABELS_CROSSED = 20  # of more there is no confusion table


def training_record(result: Training, seconds: dict[str, float]) -> dict:
    """Return what `train --json` prints."""
    settings = result.settings
    return {
        "model": result.model,
        **fields(settings, "classifier", "alpha"),
        "alpha_choice": _choice_record(result.choice),
        **fields(settings, "metric"),
        "class_weight": steps.class_weight(settings),
        "threshold": None
        if settings.threshold is None
        else {"metric": settings.threshold, "shift": result.shift},
        "recipe": settings.recipe,
        "recipe_choice": _screening_record(result.screening),
        "weighting": settings.weighting,
        "ngrams": spelled(settings.ngrams, "none"),
        "chars": spelled(settings.chars, "none"),
        **fields(settings, "min_df", "tokens"),
        "k": "all" if settings.k is None else settings.k,
        "seed": settings.seed,
        **fields(result, "label_counts", "n_train", "n_test", "n_features_seen", "n_features"),
        "n_fitted": result.n_fitted,
        **_scores_record(result.scores),
        **_trial_record(result),
        "accuracy_before": result.before and result.before.accuracy,
        "learning_curve": [asdict(point) for point in result.learning_curve],
        "cross_validation": _validation_record(result.cross_validation),
        "calibration_error": result.calibration and asdict(result.calibration),
        **fields(result, "n_iter", "objective", "gap", "relative_gap"),
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_training(result: Training, seconds: dict[str, float]) -> None:
    """Print what `train` did."""
    n, settings = result.n_train + result.n_test, result.settings
    parts = f"{result.n_train:,} to train on and {result.n_test:,} held out"
    print_line(f"{result.skipped.source}: {n:,} texts, {parts}")
    every = result.n_features == result.n_features_seen
    rare = "" if settings.min_df == 1 else f" in {settings.min_df} texts or more"
    kept = "all" if every else f"{result.n_features:,}"
    counted = features(settings)
    print_line(f"{result.n_features_seen:,} {counted}{rare}, {kept} kept, weighed by {settings.weighting}")
    print_heading("Labels")
    print_table(("label", "texts"), [(label, f"{n:,}") for label, n in result.label_counts.items()])
    print_heading("Held-out texts")
    if result.scores:
        print_scores(result.scores)
        print_trial(result)
        if result.before:
            print_line(f"before, the model had an accuracy of {result.before.accuracy:.4f} on them")
    else:
        print_line("none: --holdout 0 trains on every text")
    if result.screening:
        print_screening(result.screening)
    if result.cross_validation:
        print_validation(result.cross_validation)
    if result.choice:
        print_choice(result.choice)
    if result.settings.threshold:
        print_heading(
            "Rare label",
            "texts of both labels weigh the same in training, and scores are "
            f"{'lowered' if result.shift >= 0 else 'raised'} by {abs(result.shift):.3g}: "
            f"of label 0 on, {result.settings.threshold} is then expected best",
        )
    print_heading("Certificate", certificate(result))
    print_times(seconds)
    print_heading("Top words")
    print_sides(result.sides)
    print_heading("Model", result.model)


def print_trial(result: Training) -> None:
    """Print what the scores on the held-out texts are of, and what guessing would get."""
    trial = result.trial
    by_metric = "" if trial.metric == "accuracy" else f", {trial.metric} {trial.guessing:.4f}"
    print_line("")
    if by_metric:
        f1 = "" if trial.metric == "macro-f1" else f", macro-f1 {trial.macro_f1:.4f}"
        print_line(f"{trial.metric} {trial.value:.4f}{f1}")
    guess = f"always guessing {printable(trial.guess)!r}"
    print_line(f"baseline: accuracy {trial.guessing_accuracy:.4f}{by_metric}, {guess}")
    error = result.calibration
    if error is None:
        print_line("no probabilities: too few texts to learn them from")
    else:
        chance = f"the right ones would have about {error.by_chance:.4f} on so few texts"
        print_line(f"probabilities: expected calibration error {error.value:.4f} ({chance})")
    saved = "it is the one saved"
    if result.n_fitted > result.n_train:
        saved = f"the one saved has seen all {result.n_fitted:,}"
    print_line(f"of the model trained on the other {result.n_train:,} texts; {saved}")


def features(settings: Settings) -> str:
    """Say what is counted in texts."""
    kinds = (settings.ngrams, "word"), (settings.chars, "character")
    said = [
        f"{spelled(each)} {kind}{'' if each == (1, 1) else 's'}" for each, kind in kinds if each is not None
    ]
    return f"features of {' and '.join(said)}"


def print_screening(screening: Screening) -> None:
    """Print the recipes that were tried, and which one was taken."""
    print_heading("Recipe", f"{screening.chosen}, chosen on {screening.n:,} training texts", "")
    rows = [
        (each.name, f"{each.n:,}", f"{each.score:.4f}", f"{each.alpha:g}") for each in screening.candidates
    ]
    print_table(("recipe", "texts", screening.metric, "alpha"), rows)
    if screening.unsegmented:
        print_line("")
        print_line("the texts have no blanks between words, so characters are counted")
    elif screening.difference is not None:
        print_line("")
        error = f", standard error {screening.standard_error:.4f}; they are taken from two of these on"
        if screening.metric != "accuracy":  # which a rare label makes too uncertain to ask for so much
            error = ""
        print_line(f"with characters {screening.difference:+.4f}{error}")


def print_validation(found: CrossValidation) -> None:
    """Print what cross-validation says, each part of all texts tried by what was trained on the others."""
    print_heading(f"Cross-validation in {len(found.values)} parts of all texts")
    rows = {"accuracy": found.accuracies, found.metric: found.values}
    for name, values in rows.items():
        low, high = found.interval(values)
        print_line(
            f"{name} {np.mean(values):.4f} (95 % interval {low:.4f} to {high:.4f}), "
            f"from {min(values):.4f} to {max(values):.4f}"
        )


def print_choice(choice: Choice) -> None:
    """Print the score at each alpha that was tried, and the alpha that was taken."""
    n_folds = choice.scores.shape[1]
    turns = f", {n_folds} parts in turn" if n_folds > 1 else ""
    best = f"{choice.alpha:g}, the best on {choice.n_tried:,} training texts left out{turns}"
    if choice.is_at_end:
        best += f"; the last one tried, {'smaller' if choice.alpha == choice.alphas[-1] else 'larger'} ones "
        best += "might be better"
    print_heading("Alpha", best, "")
    rows = [
        (f"{alpha:g}", f"{value:.4f}", f"{gap:.1e}")
        for alpha, value, gap in zip(choice.alphas, _means(choice), choice.gaps.max(axis=1), strict=True)
    ]
    print_table(("alpha", choice.metric, "relative gap"), rows)


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
            columns += [
                [shown(item.word) for item in side.words],
                [f"{item.weight:+.4f}" for item in side.words],
            ]
        print_table(header, zip_longest(*columns, fillvalue=""), text_columns=range(0, len(header), 2))


def _means(choice: Choice) -> list[float]:
    return choice.scores.mean(axis=1).tolist()


def _screening_record(screening: Screening | None) -> dict | None:
    if screening is None:
        return None
    tried = [fields(each, "name", "n", "score", "alpha") for each in screening.candidates]
    names = ("n", "metric", "chosen", "difference", "standard_error", "unsegmented")
    return {**fields(screening, *names), "tried": tried}


def _choice_record(choice: Choice | None) -> dict | None:
    if choice is None:
        return None
    return {
        "alphas": choice.alphas.tolist(),
        "metric": choice.metric,
        "scores": _means(choice),
        "at_end": choice.is_at_end,
        "relative_gaps": choice.gaps.max(axis=1).tolist(),
        "n_folds": choice.scores.shape[1],
        "n_tried": choice.n_tried,
    }


def _trial_record(result: Training) -> dict:
    """Return what the held-out texts say by the metric, and what guessing would get."""
    trial = result.trial
    if trial is None:
        return {"metric_value": None, "macro_f1": None, "baseline": None, "warnings": result.warnings}
    baseline = {"label": trial.guess, "accuracy": trial.guessing_accuracy, "metric_value": trial.guessing}
    return {
        "metric_value": trial.value,
        "macro_f1": trial.macro_f1,
        "baseline": baseline,
        "warnings": result.warnings,
    }


def _validation_record(found: CrossValidation | None) -> dict | None:
    if found is None:
        return None
    return {
        "accuracy": float(np.mean(found.accuracies)),
        "accuracy_interval": list(found.interval(found.accuracies)),
        "metric_value": float(np.mean(found.values)),
        "metric_interval": list(found.interval(found.values)),
        **fields(found, "accuracies", "values", "n_train", "n_test"),
    }


def _scores_record(scores: Scores | None) -> dict:
    if scores is None:
        return dict.fromkeys(("accuracy", "accuracy_interval", "labels", "confusion"))
    interval = {"accuracy_interval": list(scores.interval)}
    return {"accuracy": scores.accuracy, **interval, **fields(scores, "labels", "confusion")}
