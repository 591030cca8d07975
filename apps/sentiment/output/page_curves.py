"""Sections of a page: what a model's scores and probabilities are worth, and what more texts would bring."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..measures.calibration_error import GROUPS, ProbabilityGroup, by_probability
from ..measures.evaluation import Evaluation
from ..measures.thresholds import Ladder
from .highlights import shorten
from .page_charts import ENDS, PANEL, STRIP, Axis, Chart, learning_curve
from .pieces import figure, filled, name, rest, share

PANELS = 24  # labels with a curve of their own
RARE = 1 / 3  # of two labels, one with fewer of the texts is the one to be found


def to_be_found(scores: Evaluation) -> int:
    """Return the place of the label that curves of two labels are about: the second, or a rare first one."""
    return int(scores.truth.count(scores.classes[0]) >= RARE * scores.n)


def curves(scores: Evaluation) -> str:
    """Return the whole section."""
    if len(scores.classes) > 2:
        return _panels(scores)
    chosen = to_be_found(scores)
    label, found = scores.classes[chosen], scores.ladder(scores.classes[chosen])
    if found is None:
        return "<p>None: they need held-out texts with and without a label.</p>"
    told = f"{shorten(label)}: area {found.area:.3f}, average precision {found.average_precision:.3f}"
    roc = Chart(f"ROC curve. {told}", Axis("false positive rate"), Axis("true positive rate"))
    roc.line([(0, 0), (1, 1)], "guide")
    roc.line(found.roc)
    pr = Chart(f"Precision-recall curve. {told}", Axis("recall"), Axis("precision"))
    pr.line([(0, found.share), (1, found.share)], "guide")
    pr.line(found.precision_recall)
    return filled(
        "curves",
        found=name(label),
        other=name(scores.classes[1 - chosen]),
        rarer=", the rarer label," if found.share < RARE else "",
        share=share(found.share),
        roc=figure(f"ROC curve, area {found.area:.3f}", roc),
        precision_recall=figure(
            f"Precision-recall curve, average precision {found.average_precision:.3f}", pr
        ),
    )


def _panels(scores: Evaluation) -> str:
    """Return a small precision-recall curve of each label, those with the lowest average precision first."""
    often = Counter(scores.truth)
    labels = sorted(scores.classes, key=lambda label: -often[label])[: 4 * PANELS]
    found = [(label, curve) for label in labels if (curve := scores.ladder(label))]
    if not found:
        return "<p>None: they need held-out texts with and without a label.</p>"
    found.sort(key=lambda item: item[1].average_precision)
    panels = "\n".join(_panel(*item) for item in found[:PANELS])
    return filled("panels", panels=panels, rest=rest(len(scores.classes) - len(found[:PANELS]), "label"))


def _panel(label: str, curve: Ladder) -> str:
    told = f"average precision {curve.average_precision:.3f}"
    chart = Chart(
        f"Precision-recall curve of {shorten(label)}: {told}",
        Axis("", ticks=ENDS),
        Axis("", ticks=ENDS),
        PANEL,
    )
    chart.line([(0, curve.share), (1, curve.share)], "guide")
    chart.line(curve.precision_recall)
    return filled("panel", name=name(label), value=curve.average_precision, chart=chart.svg())


def calibration(scores: Evaluation) -> str:
    """Return the whole section: nothing where there are no probabilities."""
    probabilities, truth = scores.probabilities, np.asarray(scores.truth, dtype=object)
    if probabilities is None:
        return ""
    if len(scores.classes) == 2:
        chosen = to_be_found(scores)
        label = scores.classes[chosen]
        what, whose = f"has the label {name(label)}", f"of the label {shorten(label)}"
        sure, right, shown = probabilities[:, chosen], truth == label, "share of texts with the label"
    else:
        what, whose = "has the label predicted for it", "of the predicted label"
        predicted = np.array(scores.classes, dtype=object)[probabilities.argmax(axis=1)]
        sure, right, shown = probabilities.max(axis=1), predicted == truth, "share of texts predicted right"
    groups = by_probability(sure, right)
    return filled(
        "reliability",
        what=what,
        error=scores.calibration,
        chart=figure("Probability and truth", _reliability(groups, whose, shown), _texts(groups)),
        groups=_group_table(groups),
    )


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


def _group_table(groups: Sequence[ProbabilityGroup]) -> str:
    rows = [filled("group", group=group, share=share(group.share)) for group in groups]
    return filled("groups", rows="\n".join(rows))


def learning(
    sizes: Sequence[int],
    scores: Sequence[float],
    intervals: Sequence[tuple[float, float]] | None = None,
    metric: str = "accuracy",
) -> str:
    """Return the whole section: what more texts have brought; see `page_charts.learning_curve`."""
    title = f"{metric.capitalize()} by the number of training texts"
    return filled(
        "learning curve",
        before=sizes[-2],
        last=sizes[-1],
        gain=scores[-1] - scores[-2],
        intervals=" Lines at the dots: 95&nbsp;% intervals." if intervals else "",
        chart=figure(title, learning_curve(sizes, scores, intervals, metric)),
    )
