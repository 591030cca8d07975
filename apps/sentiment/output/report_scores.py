"""Tables of a page: headline, labels, confusions, thresholds."""

from collections.abc import Sequence

import numpy as np

from ...common.html_pages import share
from ..measures.answer_scores import AnswerScores

LABELS_LISTED = 100  # rows of the table of labels
LABELS_NAMED, LABELS_CROSSED = 12, 40  # columns with names in the confusion table; columns at all
CONFUSIONS = 10
SHADES = 10  # in style.css
METRIC_NAMES = {"macro-f1": "macro-F1"}


def accuracy_section(scores: AnswerScores) -> dict:
    """Return the headline, the table of labels (lowest F1 first) and the confusions."""
    # Accuracy hides rare labels: if it is the metric, another one stands beside it.
    metric = "macro-f1" if scores.metric == "accuracy" else scores.metric
    rows = sorted(scores.label_scores, key=lambda row: (row.f1 or 0.0, -row.n, row.label))
    labels = []
    for row in rows[:LABELS_LISTED]:
        curves = scores.ladder(row.label)
        areas = (curves.area, curves.average_precision) if curves else (None, None)
        labels.append((row, (row.f1, row.precision, row.recall), areas))
    n_unknown = sum(map(sum, scores.confusion[len(scores.confusion) - len(scores.unknown_labels) :]))
    return {
        "scores": scores,
        "metric": metric,
        "metric_name": METRIC_NAMES.get(metric, metric.replace("-", " ")),
        "n_unknown": n_unknown,
        "labels": labels,
        "n_labels_left": len(rows) - len(labels),
        "confusion": confusion_table(scores),
    }


def confusion_table(scores: AnswerScores) -> dict:
    """Return the table of true and predicted labels; many labels without mistakes share a row, named None."""
    counts, names = np.asarray(scores.confusion), list(scores.labels)
    found = {"numbered": len(names) > LABELS_NAMED, "others": 0, "frequent": []}
    if found["numbered"]:
        found["frequent"] = _most_frequent(names, counts)
    if len(names) > LABELS_CROSSED:
        mistakes = counts.sum(axis=0) + counts.sum(axis=1) - 2 * counts.diagonal()
        often = np.argsort(-mistakes, kind="stable")
        kept, others = np.sort(often[: LABELS_CROSSED - 1]), often[LABELS_CROSSED - 1 :]
        found |= {"others": len(others), "others_right": int(counts.diagonal()[others].sum())}
        place = np.full(len(names), len(kept))  # in the smaller table
        place[kept] = np.arange(len(kept))
        names = [*(names[i] for i in kept), None]
        whole, counts = counts, np.zeros((len(names), len(names)), int)
        np.add.at(counts, (place[:, None], place), whole)
    rows = [
        (name, [(_shade(row, i, j), row[j]) for j in range(len(names))])
        for i, (name, row) in enumerate(zip(names, counts.tolist(), strict=True))
    ]
    return found | {"names": names, "rows": rows}


def _shade(row: Sequence[int], i: int, j: int) -> str:
    shade = round(SHADES * (row[j] / max(sum(row), 1)) ** 0.5)  # the root: mistakes are a small share
    return f"{'right' if i == j else 'wrong'}-{shade}"


def _most_frequent(names: Sequence[str], counts: np.ndarray) -> list[tuple[str, str, int, float]]:
    """Return true and predicted label of the most frequent mistakes, with their number and share."""
    wrong = counts - np.diag(counts.diagonal())
    worst = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSIONS]
    pairs = [(i, j) for i, j in zip(*np.unravel_index(worst, wrong.shape), strict=True) if wrong[i, j]]
    return [(names[i], names[j], int(wrong[i, j]), wrong[i, j] / counts[i].sum()) for i, j in pairs]


def threshold_section(scores: AnswerScores) -> dict:
    """Return a table of a few thresholds; empty if the model has none."""
    table = scores.threshold_table()
    if not table:
        return {}
    if len(scores.classes) != 2:
        columns = ("Threshold", "Answered", "Right of these")
        rows = [(f"{row.threshold:g}", share(row.given / row.n), share(row.precision)) for row in table]
        return {"second": None, "columns": columns, "rows": rows}
    columns = ("Threshold", "Precision", "Recall", "F1", "Accuracy", "Given wrongly", "Missed")
    rows = [
        (
            f"{row.threshold:g}",
            *map(share, (row.precision, row.recall, row.f1, row.accuracy)),
            f"{row.false_positives:,}",
            f"{row.false_negatives:,}",
        )
        for row in table
    ]
    of = "score" if scores.probabilities is None else "probability"
    return {"second": scores.classes[1], "of": of, "columns": columns, "rows": rows}
