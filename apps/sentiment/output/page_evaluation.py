"""The report on a saved model tried on a corpus: sections of that on a training, and some of its own."""

import os
import re
from importlib.metadata import version

from ...common import html
from ...common.output import many
from ..jobs.evaluation import Advice, CorpusEvaluation
from . import page_curves, page_scores
from .page import mistakes
from .page_thresholds import numbers, thresholds
from .pieces import filled, name, rest, share

GROUPS_LISTED = 100


def write_report(
    path: str | os.PathLike[str], result: CorpusEvaluation, corpus: str, advice: Advice | None = None
) -> None:
    """Write the report on an evaluation.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    result : CorpusEvaluation
    corpus : str
        What the corpus is called.
    advice : Advice, optional
        The threshold to recommend.
    """
    scores = result.evaluation
    accuracy, curves = page_scores.accuracy(scores), page_curves.curves(scores)
    calibration = page_curves.calibration(scores)
    several = len(scores.classes) > 2
    sections = [
        ("accuracy", "Accuracy", _of_any(accuracy)),
        ("second", "Second model", _second(result)),
        ("curves", "Precision and recall" if several else "ROC and precision-recall", _of_any(curves)),
        ("calibration", "Calibration", _of_any(calibration)),
        ("thresholds", "Thresholds", thresholds(scores, advice)),
        ("groups", "Groups", _groups(result)),
        ("mistakes", "The most certain mistakes", _mistakes(result)),
    ]
    body = f"{_header(result, corpus)}\n{html.with_links(sections)}"
    title = f"{result.path} on {corpus}"
    html.write_page(path, html.page(title, body, style=html.packaged(__package__, "page.css")))


def _of_any(section: str) -> str:
    """Return a section of a training's report; these texts were not held out of a training by us."""
    return re.sub(r"held-out\s+text", "text", section)


def _mistakes(result: CorpusEvaluation) -> str:
    found = mistakes(result.model, result.evaluation)
    return found if len(result.evaluation.mistakes) else _of_any(found)


def _header(result: CorpusEvaluation, corpus: str) -> str:
    facts = [
        ("texts", result.evaluation.n),
        ("labels", len(result.evaluation.labels)),
        ("mistakes", len(result.evaluation.mistakes)),
    ]
    skipped = ""
    if result.skipped.count:
        skipped = f'<p class="notice">{many(result.skipped.count, "record")} of the corpus skipped.</p>\n'
    names = {"model": html.bdi(result.path), "corpus": html.bdi(corpus)}
    origin = f"fastsvm {version('fastsvm')}"
    return filled("evaluation", **names, origin=origin, skipped=skipped, facts=html.fact_boxes(facts))


def _groups(result: CorpusEvaluation) -> str:
    if result.groups is None:
        return ""
    listed = result.groups[:GROUPS_LISTED]
    cells = [
        (name(group.value), f"{group.n:,}", share(group.accuracy), " to ".join(map(share, group.interval)))
        for group in listed
    ]
    table = numbers("Groups", ("Value", "Texts", "Accuracy", "95 % interval"), cells)
    return f"{table}{rest(len(result.groups) - len(listed), 'value')}"


def _second(result: CorpusEvaluation) -> str:
    two = result.paired
    if two is None:
        return ""
    low, high = (f"{100 * bound:+.1f}" for bound in two.interval)
    return filled(
        "second model",
        model=name(result.path),
        other=name(two.model),
        accuracy=share(two.accuracy),
        first=two.only_first,
        second=two.only_second,
        difference=f"{100 * two.difference:+.1f} points",
        low=low,
        high=high,
        p_value=f"{two.p_value:.3g}" if two.p_value else "below 1e-300",
    )
