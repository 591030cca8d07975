"""Sections that the reports on a training and on an evaluation share: numbers, tables and charts."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...common.html_pages import share, shorten
from ..measures.answer_scores import AnswerScores
from ..measures.calibration_error import GROUPS, ProbabilityGroup, probability_groups
from .svg_charts import ENDS, PANEL, STRIP, Axis, Chart, curve_chart, dotted_chart

LABELS_LISTED = 100  # rows of the table of labels
LABELS_NAMED, LABELS_CROSSED = 12, 40  # columns with names in the confusion table; columns at all
CONFUSIONS = 10
SHADES = 10  # in style.css
METRIC_NAMES = {"macro-f1": "macro-F1"}
PANELS = 24  # labels with a curve of their own
RARE = 1 / 3  # of two labels, one with fewer of the texts is the one to be found


def accuracy_section(scores: AnswerScores) -> dict:
    """Return the headline, the table of labels (lowest F1 first) and the confusions."""
    # Accuracy hides rare labels: if it is the metric, another one stands beside it.
    metric = "macro-f1" if scores.metric == "accuracy" else scores.metric
    rows = sorted(scores.label_scores, key=lambda row: (row.f1 or 0.0, -row.n, row.label))
    listed = rows[:LABELS_LISTED]
    n_unknown = sum(map(sum, scores.confusion[len(scores.confusion) - len(scores.unknown_labels) :]))
    return {
        "scores": scores,
        "metric": metric,
        "metric_name": METRIC_NAMES.get(metric, metric.replace("-", " ")),
        "n_unknown": n_unknown,
        "labels": [(row, (row.f1, row.precision, row.recall), scores.areas(row.label)) for row in listed],
        "n_labels_left": len(rows) - len(listed),
        "confusion": confusion_table(scores),
    }


def confusion_table(scores: AnswerScores) -> dict:
    """Return the table of true and predicted labels; many labels without mistakes share a row, named None."""
    counts, names = np.asarray(scores.confusion), list(scores.labels)
    found = {"numbered": len(names) > LABELS_NAMED, "others": 0, "frequent": []}
    if found["numbered"]:
        found["frequent"] = _most_frequent_mistakes(names, counts)
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
        (name, [(_confusion_shade(row, i, j), row[j]) for j in range(len(names))])
        for i, (name, row) in enumerate(zip(names, counts.tolist(), strict=True))
    ]
    return found | {"names": names, "rows": rows}


def _confusion_shade(row: Sequence[int], i: int, j: int) -> str:
    shade = round(SHADES * (row[j] / max(sum(row), 1)) ** 0.5)  # the root: mistakes are a small share
    return f"{'right' if i == j else 'wrong'}-{shade}"


def _most_frequent_mistakes(names: Sequence[str], counts: np.ndarray) -> list[tuple[str, str, int, float]]:
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
    of = "score" if scores.probabilities is None else "probability"
    rows = [row.cells(share) for row in table]
    return {"second": scores.classes[1], "of": of, "columns": columns, "rows": rows}


def label_to_find(scores: AnswerScores) -> int:
    """Return the place of the label that curves of two labels are about: the second, or a rare first one."""
    return int(scores.truth.count(scores.classes[0]) >= RARE * scores.n)


def separation_curves(scores: AnswerScores) -> dict | None:
    """Return two curves of two labels, or a small one of each label; None if a label has all the texts."""
    if len(scores.classes) > 2:
        return _curve_panels(scores)
    chosen = label_to_find(scores)
    label, other = scores.classes[chosen], scores.classes[1 - chosen]
    found = scores.ladder(label)
    if found is None:
        return None
    told = f"{shorten(label)}: area {found.area:.3f}, average precision {found.average_precision:.3f}"
    rates = Axis("false positive rate"), Axis("true positive rate")
    guess = [(0, found.share), (1, found.share)]
    return {
        "label": label,
        "other": other,
        "ladder": found,
        "is_rare": found.share < RARE,
        "roc": curve_chart(f"ROC curve. {told}", *rates, found.roc, [(0, 0), (1, 1)]),
        "precision_recall": curve_chart(
            f"Precision-recall curve. {told}",
            Axis("recall"),
            Axis("precision"),
            found.precision_recall,
            guess,
        ),
    }


def _curve_panels(scores: AnswerScores) -> dict | None:
    """Return a small precision-recall curve of each label, those with the lowest average precision first."""
    often = Counter(scores.truth)
    labels = sorted(scores.classes, key=lambda label: -often[label])[: 4 * PANELS]
    found = [(label, curve) for label in labels if (curve := scores.ladder(label))]
    if not found:
        return None
    found.sort(key=lambda item: item[1].average_precision)
    panels, axis = [], Axis("", ticks=ENDS)
    for label, curve in found[:PANELS]:
        value, guess = curve.average_precision, [(0, curve.share), (1, curve.share)]
        told = f"Precision-recall curve of {shorten(label)}: average precision {value:.3f}"
        panels.append((label, value, curve_chart(told, axis, axis, curve.precision_recall, guess, PANEL)))
    return {"panels": panels, "left": len(scores.classes) - len(panels)}


def calibration_section(scores: AnswerScores) -> dict:
    """Return the reliability of the probabilities; empty if there are none."""
    probabilities, truth = scores.probabilities, np.asarray(scores.truth, dtype=object)
    if probabilities is None:
        return {}
    label = None
    if len(scores.classes) == 2:
        chosen = label_to_find(scores)
        label = scores.classes[chosen]
        whose, shown = f"of the label {shorten(label)}", "share of texts with the label"
        sure, right = probabilities[:, chosen], truth == label
    else:
        whose, shown = "of the predicted label", "share of texts predicted right"
        predicted = np.array(scores.classes, dtype=object)[probabilities.argmax(axis=1)]
        sure, right = probabilities.max(axis=1), predicted == truth
    groups = probability_groups(sure, right)
    told = "; ".join(f"{group.mean:.2f}: {share(group.share)}" for group in groups)
    reliability = dotted_chart(
        f"Share of texts by the probability {whose}. {told}",
        Axis("", ticks=()),
        Axis(shown),
        [(group.mean, group.share) for group in groups],
        [group.interval for group in groups],
        guide=[(0, 0), (1, 1)],
    )
    charts = [reliability, _texts_by_probability(groups)]
    return {"label": label, "error": scores.calibration, "charts": charts, "groups": groups}


def _texts_by_probability(groups: Sequence[ProbabilityGroup]) -> Chart:
    """Draw how many texts there are in each tenth."""
    most = max(group.n for group in groups)
    told = "; ".join(f"{group.low:.2f} to {group.high:.2f}: {group.n:,}" for group in groups)
    x = Axis("probability, mean of the group")
    chart = Chart(
        f"Texts by probability. {told}", x, Axis("texts", 0, most, [(0, "0"), (most, f"{most:,}")]), STRIP
    )
    middles = [(min(int(group.low * GROUPS), GROUPS - 1) + 0.5) / GROUPS for group in groups]
    chart.bars([(x, group.n) for x, group in zip(middles, groups, strict=True)], 0.9 / GROUPS)
    return chart
