"""Charts of a page: ROC and precision-recall curves, calibration, the learning curve."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ...common.html_pages import share, shorten
from ..measures.answer_scores import AnswerScores
from ..measures.calibration_error import GROUPS, ProbabilityGroup, probability_groups
from ..measures.thresholds import ThresholdLadder
from .svg_charts import ENDS, PANEL, STRIP, Axis, Chart, learning_curve_chart

PANELS = 24  # labels with a curve of their own
RARE = 1 / 3  # of two labels, one with fewer of the texts is the one to be found


def to_be_found(scores: AnswerScores) -> int:
    """Return the place of the label that curves of two labels are about: the second, or a rare first one."""
    return int(scores.truth.count(scores.classes[0]) >= RARE * scores.n)


def separation_curves(scores: AnswerScores) -> dict | None:
    """Return two curves of two labels, or a small one of each label; None if a label has all the texts."""
    if len(scores.classes) > 2:
        return _panels(scores)
    chosen = to_be_found(scores)
    label, found = scores.classes[chosen], scores.ladder(scores.classes[chosen])
    if found is None:
        return None
    told = f"{shorten(label)}: area {found.area:.3f}, average precision {found.average_precision:.3f}"
    roc = Chart(f"ROC curve. {told}", Axis("false positive rate"), Axis("true positive rate"))
    roc.line([(0, 0), (1, 1)], "guide")
    roc.line(found.roc)
    pr = Chart(f"Precision-recall curve. {told}", Axis("recall"), Axis("precision"))
    pr.line([(0, found.share), (1, found.share)], "guide")
    pr.line(found.precision_recall)
    other = scores.classes[1 - chosen]
    charts = {"roc": roc, "precision_recall": pr}
    return {"label": label, "other": other, "ladder": found, "is_rare": found.share < RARE, **charts}


def _panels(scores: AnswerScores) -> dict | None:
    """Return a small precision-recall curve of each label, those with the lowest average precision first."""
    often = Counter(scores.truth)
    labels = sorted(scores.classes, key=lambda label: -often[label])[: 4 * PANELS]
    found = [(label, curve) for label in labels if (curve := scores.ladder(label))]
    if not found:
        return None
    found.sort(key=lambda item: item[1].average_precision)
    panels = [(label, curve.average_precision, _panel(label, curve)) for label, curve in found[:PANELS]]
    return {"panels": panels, "left": len(scores.classes) - len(panels)}


def _panel(label: str, curve: ThresholdLadder) -> Chart:
    told = f"Precision-recall curve of {shorten(label)}: average precision {curve.average_precision:.3f}"
    chart = Chart(told, Axis("", ticks=ENDS), Axis("", ticks=ENDS), PANEL)
    chart.line([(0, curve.share), (1, curve.share)], "guide")
    chart.line(curve.precision_recall)
    return chart


def calibration_section(scores: AnswerScores) -> dict:
    """Return the reliability of the probabilities; empty if there are none."""
    probabilities, truth = scores.probabilities, np.asarray(scores.truth, dtype=object)
    if probabilities is None:
        return {}
    label = None
    if len(scores.classes) == 2:
        chosen = to_be_found(scores)
        label = scores.classes[chosen]
        whose, shown = f"of the label {shorten(label)}", "share of texts with the label"
        sure, right = probabilities[:, chosen], truth == label
    else:
        whose, shown = "of the predicted label", "share of texts predicted right"
        predicted = np.array(scores.classes, dtype=object)[probabilities.argmax(axis=1)]
        sure, right = probabilities.max(axis=1), predicted == truth
    groups = probability_groups(sure, right)
    charts = [_reliability(groups, whose, shown), _texts(groups)]
    return {"label": label, "error": scores.calibration, "charts": charts, "groups": groups}


def _reliability(groups: Sequence[ProbabilityGroup], whose: str, truth: str) -> Chart:
    told = "; ".join(f"{group.mean:.2f}: {share(group.share)}" for group in groups)
    chart = Chart(f"Share of texts by the probability {whose}. {told}", Axis("", ticks=()), Axis(truth))
    chart.line([(0, 0), (1, 1)], "guide")
    chart.whiskers((group.mean, *group.interval) for group in groups)
    chart.line((group.mean, group.share) for group in groups)
    chart.dots((group.mean, group.share) for group in groups)
    return chart


def _texts(groups: Sequence[ProbabilityGroup]) -> Chart:
    """Draw how many texts there are in each tenth."""
    most = max(group.n for group in groups)
    told = "; ".join(f"{group.low:.2f} to {group.high:.2f}: {group.n:,}" for group in groups)
    chart = Chart(
        f"Texts by probability. {told}",
        Axis("probability, mean of the group"),
        Axis("texts", 0, most, [(0, "0"), (most, f"{most:,}")]),
        STRIP,
    )
    n_groups = GROUPS
    middles = [(min(int(group.low * n_groups), n_groups - 1) + 0.5) / n_groups for group in groups]
    chart.bars([(x, group.n) for x, group in zip(middles, groups, strict=True)], 0.9 / n_groups)
    return chart


def learning_section(
    sizes: Sequence[int],
    scores: Sequence[float],
    intervals: Sequence[tuple[float, float]] | None = None,
    metric: str = "accuracy",
) -> dict:
    """Return the gain from more texts; for the parameters see `learning_curve_chart`."""
    return {
        "title": f"{metric.capitalize()} by the number of training texts",
        "sizes": sizes,
        "gain": scores[-1] - scores[-2],
        "intervals": intervals,
        "chart": learning_curve_chart(sizes, scores, intervals, metric),
    }
