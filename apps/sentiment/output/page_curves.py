"""Sections of a page: what a model's scores and probabilities are worth, and what more texts would bring."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..learning.calibration import CalibrationError
from ..measures import diagnostics
from ..measures.scores import HeldOut
from .highlights import shorten
from .page_charts import ENDS, PANEL, STRIP, Axis, Chart, learning_curve
from .pieces import figure, filled, name, rest, share

PANELS = 24  # labels with a curve of their own
RARE = 1 / 3  # of two labels, one with fewer of the texts is the one to be found


def to_be_found(classes: np.ndarray, held_out: HeldOut) -> int:
    """Return the number of the one of two labels that curves are about: the second, or a rare first one."""
    return int(held_out.labels.count(str(classes[0])) >= RARE * len(held_out.labels))


def curves(classes: np.ndarray, held_out: HeldOut) -> str:
    """Return the whole section."""
    if len(classes) > 2:
        return _panels(classes, held_out)
    chosen = to_be_found(classes, held_out)
    found = diagnostics.curves(classes, held_out, str(classes[chosen]))
    if found is None:
        return "<p>None: they need held-out texts with and without a label.</p>"
    told = f"{shorten(found.label)}: area {found.area:.3f}, average precision {found.average_precision:.3f}"
    roc = Chart(f"ROC curve. {told}", Axis("false positive rate"), Axis("true positive rate"))
    roc.line([(0, 0), (1, 1)], "guide")
    roc.line(found.roc)
    pr = Chart(f"Precision-recall curve. {told}", Axis("recall"), Axis("precision"))
    pr.line([(0, found.share), (1, found.share)], "guide")
    pr.line(found.precision_recall)
    return filled(
        "curves",
        found=name(found.label),
        other=name(str(classes[1 - chosen])),
        rarer=", the rarer label," if found.share < RARE else "",
        share=share(found.share),
        roc=figure(f"ROC curve, area {found.area:.3f}", roc),
        precision_recall=figure(
            f"Precision-recall curve, average precision {found.average_precision:.3f}", pr
        ),
    )


def _panels(classes: np.ndarray, held_out: HeldOut) -> str:
    """Return a small precision-recall curve of each label, those with the lowest average precision first."""
    often = Counter(held_out.labels)
    names = sorted(map(str, classes), key=lambda label: -often[label])[: 4 * PANELS]
    found = [curve for label in names if (curve := diagnostics.curves(classes, held_out, label))]
    if not found:
        return "<p>None: they need held-out texts with and without a label.</p>"
    found.sort(key=lambda curve: curve.average_precision)
    panels = "\n".join(map(_panel, found[:PANELS]))
    return filled("panels", panels=panels, rest=rest(len(classes) - len(found[:PANELS]), "label"))


def _panel(curve: diagnostics.Curves) -> str:
    told = f"average precision {curve.average_precision:.3f}"
    chart = Chart(
        f"Precision-recall curve of {shorten(curve.label)}: {told}",
        Axis("", ticks=ENDS),
        Axis("", ticks=ENDS),
        PANEL,
    )
    chart.line([(0, curve.share), (1, curve.share)], "guide")
    chart.line(curve.precision_recall)
    return filled("panel", name=name(curve.label), value=curve.average_precision, chart=chart.svg())


def calibration(classes: np.ndarray, held_out: HeldOut, error: CalibrationError | None) -> str:
    """Return the whole section: nothing where there are no probabilities."""
    probabilities = held_out.probabilities
    if probabilities is None or error is None:
        return ""
    if len(classes) == 2:
        chosen = to_be_found(classes, held_out)
        label = str(classes[chosen])
        what, whose = f"has the label {name(label)}", f"of the label {shorten(label)}"
        sure, right = probabilities[:, chosen], np.asarray(held_out.labels, dtype=object) == label
        truth = "share of texts with the label"
    else:
        what, whose = "has the label predicted for it", "of the predicted label"
        predicted = classes[probabilities.argmax(axis=1)].astype(str)
        sure, right = probabilities.max(axis=1), predicted == np.asarray(held_out.labels, dtype=str)
        truth = "share of texts predicted right"
    groups = diagnostics.by_probability(sure, right)
    return filled(
        "reliability",
        what=what,
        error=error,
        chart=figure("Probability and truth", _reliability(groups, whose, truth), _texts(groups)),
        groups=_group_table(groups),
    )


def _reliability(groups: Sequence[diagnostics.Group], whose: str, truth: str) -> Chart:
    told = "; ".join(f"{group.mean:.2f}: {share(group.share)}" for group in groups)
    chart = Chart(f"Share of texts by the probability {whose}. {told}", Axis("", ticks=()), Axis(truth))
    chart.line([(0, 0), (1, 1)], "guide")
    chart.whiskers((group.mean, *group.interval) for group in groups)
    chart.line((group.mean, group.share) for group in groups)
    chart.dots((group.mean, group.share) for group in groups)
    return chart


def _texts(groups: Sequence[diagnostics.Group]) -> Chart:
    """Draw how many texts there are in each tenth."""
    most = max(group.n for group in groups)
    told = "; ".join(f"{group.low:.2f} to {group.high:.2f}: {group.n:,}" for group in groups)
    chart = Chart(
        f"Texts by probability. {told}",
        Axis("probability, mean of the group"),
        Axis("texts", 0, most, [(0, "0"), (most, f"{most:,}")]),
        STRIP,
    )
    n_groups = diagnostics.GROUPS
    middles = [(min(int(group.low * n_groups), n_groups - 1) + 0.5) / n_groups for group in groups]
    chart.bars([(x, group.n) for x, group in zip(middles, groups, strict=True)], 0.9 / n_groups)
    return chart


def _group_table(groups: Sequence[diagnostics.Group]) -> str:
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
