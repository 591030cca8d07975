"""The report on a saved model tried on a corpus: sections of that on a training, and some of its own."""

import os
import re
from importlib.metadata import version

from ...common import html
from ...common.output import many
from ..jobs.evaluation import Advice, Evaluation
from . import page_curves, page_scores
from .page import mistakes
from .page_thresholds import numbers, thresholds
from .pieces import filled, name, rest, share

GROUPS_LISTED = 100


def write_report(
    path: str | os.PathLike[str], result: Evaluation, corpus: str, advice: Advice | None = None
) -> None:
    """Write the report on an evaluation.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    result : Evaluation
    corpus : str
        What the corpus is called.
    advice : Advice, optional
        The threshold to recommend.
    """
    classes, held_out = result.fitted.classes_, result.held_out
    accuracy = page_scores.accuracy(result.scores, held_out, classes, result.trial)
    curves = page_curves.curves(classes, held_out)
    calibration = page_curves.calibration(classes, held_out, result.calibration)
    several = len(classes) > 2
    sections = [
        ("accuracy", "Accuracy", _of_any(accuracy)),
        ("second", "Second model", _second(result)),
        ("curves", "Precision and recall" if several else "ROC and precision-recall", _of_any(curves)),
        ("calibration", "Calibration", _of_any(calibration)),
        ("thresholds", "Thresholds", thresholds(result, advice)),
        ("groups", "Groups", _groups(result)),
        ("mistakes", "The most certain mistakes", _mistakes(result)),
    ]
    body = f"{_header(result, corpus)}\n{html.with_links(sections)}"
    title = f"{result.model} on {corpus}"
    html.write_page(path, html.page(title, body, style=html.packaged(__package__, "page.css")))


def _of_any(section: str) -> str:
    """Return a section of a training's report; these texts were not held out of a training by us."""
    return re.sub(r"held-out\s+text", "text", section)


def _mistakes(result: Evaluation) -> str:
    found = mistakes(result.fitted, result.held_out)
    return found if len(result.mistakes) else _of_any(found)


def _header(result: Evaluation, corpus: str) -> str:
    facts = [
        ("texts", result.scores.n),
        ("labels", len(result.scores.labels)),
        ("mistakes", len(result.mistakes)),
    ]
    skipped = ""
    if result.skipped.count:
        skipped = f'<p class="notice">{many(result.skipped.count, "record")} of the corpus skipped.</p>\n'
    names = {"model": html.bdi(result.model), "corpus": html.bdi(corpus)}
    origin = f"fastsvm {version('fastsvm')}"
    return filled("evaluation", **names, origin=origin, skipped=skipped, facts=html.fact_boxes(facts))


def _groups(result: Evaluation) -> str:
    if result.groups is None:
        return ""
    listed = result.groups[:GROUPS_LISTED]
    cells = [
        (name(group.value), f"{group.n:,}", share(group.accuracy), " to ".join(map(share, group.interval)))
        for group in listed
    ]
    table = numbers("Groups", ("Value", "Texts", "Accuracy", "95 % interval"), cells)
    return f"{table}{rest(len(result.groups) - len(listed), 'value')}"


def _second(result: Evaluation) -> str:
    two = result.paired
    if two is None:
        return ""
    low, high = (f"{100 * bound:+.1f}" for bound in two.interval)
    return filled(
        "second model",
        model=name(result.model),
        other=name(two.model),
        accuracy=share(two.accuracy),
        first=two.only_first,
        second=two.only_second,
        difference=f"{100 * two.difference:+.1f} points",
        low=low,
        high=high,
        p_value=f"{two.p_value:.3g}" if two.p_value else "below 1e-300",
    )
