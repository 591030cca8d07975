"""The output of `evaluate`: tables for people, a record for --json, and the mistakes as a CSV table."""

import os
from collections.abc import Iterable, Sequence
from statistics import fmean

from ...common.csv_quoting import csv_writer, table_file
from ...common.printing import fields, percent, print_confusion, print_heading, print_line, print_table
from ..jobs.corpus_evaluation import CorpusEvaluation, ThresholdAdvice
from ..measures.answer_scores import AnswerScores
from .training_output import LABELS_CROSSED, calibration_line, print_accuracy

GROUPS_PRINTED = 30
AREAS = ("roc_area", "average_precision")


def evaluation_record(
    result: CorpusEvaluation, advice: ThresholdAdvice | None, seconds: dict[str, float]
) -> dict:
    """Return what `evaluate --json` prints."""
    scores = result.evaluation
    record = {
        "n": scores.n,
        "learned": result.learned[result.path],
        "accuracy": scores.accuracy,
        "accuracy_interval": list(scores.interval),
        "baseline": {"label": scores.guess, "accuracy": scores.guessing("accuracy")},
        "balanced_accuracy": fmean(each.recall for each in scores.label_scores if each.recall is not None),
        "macro_f1": scores.score("macro-f1"),
        **fields(scores, "labels", "confusion"),
        "per_label": [
            {**each._asdict(), **dict(zip(AREAS, scores.areas(each.label), strict=True))}
            for each in scores.label_scores
        ],
        "calibration_error": scores.calibration and scores.calibration._asdict(),
        "thresholds": [each.record() for each in scores.threshold_table()],
    }
    if advice is not None:
        record["recommended"] = {**advice.found.record(), "option": advice.option}
    if result.groups is not None:
        record["groups"] = [group._asdict() for group in result.groups]
    if result.paired is not None:
        record["paired"] = result.paired._asdict()
    return {**record, "skipped": result.skipped.count, "seconds": seconds}


def print_evaluation(result: CorpusEvaluation, advice: ThresholdAdvice | None) -> None:
    """Print how a model does."""
    scores = result.evaluation
    print_accuracy(scores)
    print_line(f"baseline {scores.guessing('accuracy'):.4f}, always guessing {scores.guess}")
    balanced, macro_f1 = map(scores.score, ("balanced-accuracy", "macro-f1"))
    print_line(f"balanced accuracy {balanced:.4f}, macro F1 {macro_f1:.4f}")
    if scores.calibration:
        print_line(calibration_line(scores.calibration))
    print_heading("Labels")
    rows = [
        (each.label, f"{each.n:,}", *map(_score_cell, (*each[2:], *scores.areas(each.label))))
        for each in scores.label_scores
    ]
    print_table(("label", "texts", "precision", "recall", "F1", "ROC area", "PR area"), rows)
    if len(scores.labels) <= LABELS_CROSSED:
        print_line("")
        print_confusion(scores.labels, scores.confusion)
    _print_thresholds(scores, advice)
    if result.groups is not None:
        print_heading("Groups")
        rows = [
            (group.value, f"{group.n:,}", f"{group.accuracy:.4f}", "{:.4f} to {:.4f}".format(*group.interval))
            for group in result.groups[:GROUPS_PRINTED]
        ]
        print_table(("value", "texts", "accuracy", "95 % interval"), rows)
        if (rest := len(result.groups) - GROUPS_PRINTED) > 0:
            print_line(f"... and {rest:,} more values; --json has all")
    if result.paired is not None:
        _print_paired(result)


def _print_thresholds(scores: AnswerScores, advice: ThresholdAdvice | None) -> None:
    two = len(scores.classes) == 2
    if advice is not None:
        found = advice.found
        print_heading("Threshold", f"{found.threshold:g}, {advice.why}: predict {advice.option}")
        rows = [found]
    else:
        rows = scores.threshold_table()
        if not rows:
            return
        of = "probability" if scores.probabilities is not None else "score"
        whose = f"of {scores.classes[1]}" if two else "of the best label; texts below it are left unsure"
        print_heading("Thresholds", f"{of} {whose}")
    if two:
        header = ("threshold", "precision", "recall", "F1", "accuracy", "false positives", "false negatives")
        print_table(header, [row.cells(_score_cell) for row in rows], text_columns=())
    else:
        header = ("threshold", "answered", "share", "right")
        shares = [
            (f"{r.threshold:g}", f"{r.given:,}", percent(r.given / r.n), _score_cell(r.precision))
            for r in rows
        ]
        print_table(header, shares, text_columns=())


def _print_paired(result: CorpusEvaluation) -> None:
    two = result.paired
    low, high = two.interval
    print_heading("Second model", f"{two.model}: accuracy {two.accuracy:.4f}")
    print_line(f"right only here {two.only_first:,}, only there {two.only_second:,}")
    print_line(f"difference {two.difference:+.4f} (95 % interval {low:+.4f} to {high:+.4f})")
    print_line(f"McNemar's exact test: p {'= ' if two.p_value else '< '}{two.p_value or 1e-300:.3g}")


def _score_cell(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"


def write_mistakes(path: str | os.PathLike[str], result: CorpusEvaluation) -> None:
    """Write the texts with a wrong label as a CSV table, those the model was surest of first."""
    scores, rows = result.evaluation, []
    for i in scores.mistakes.tolist():
        given = scores.classes.index(scores.given[i])
        score = scores.decision[i] if scores.decision.ndim == 1 else scores.decision[i, given]
        share = "" if scores.probabilities is None else f"{scores.probabilities[i, given]:.6g}"
        answer = scores.truth[i], scores.given[i], f"{score:.6g}", share
        rows.append((result.places[i], *answer, scores.texts[i]))
    write_csv(path, ("place", "label", "predicted_label", "score", "probability", "text"), rows)


def write_csv(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Write a CSV table that spreadsheets can open; the file is replaced at once."""
    with table_file(path) as file:
        csv_writer(file)(header, *rows)
