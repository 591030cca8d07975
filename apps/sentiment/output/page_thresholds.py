"""What a page says of thresholds: a table, and the one to take."""

from collections.abc import Sequence

from ...common import html
from ..jobs.evaluation import Advice
from ..measures.evaluation import Evaluation
from ..measures.thresholds import Operating
from .pieces import filled, name, share


def thresholds(scores: Evaluation, advice: Advice | None = None) -> str:
    """Return what a few thresholds give, and which one is recommended, if one was asked for."""
    rows = scores.threshold_table()
    if not rows:
        return ""
    of = "probability" if scores.probabilities is not None else "score"
    if len(scores.classes) == 2:
        second = name(scores.classes[1])
        what = f"A text is given {second} where its {of} of {second} reaches the threshold."
        heads = ("Threshold", "Precision", "Recall", "F1", "Accuracy", "Given wrongly", "Missed")
        cells = [_operating(row) for row in rows]
    else:
        what = "A text is given its best label where the probability of that reaches the threshold."
        heads = ("Threshold", "Answered", "Right of these")
        cells = [(f"{row.threshold:g}", share(row.given / row.n), _share(row.precision)) for row in rows]
    found = filled("thresholds", what=what, table=numbers("Thresholds", heads, cells))
    if advice is None:
        return found
    threshold = f"{advice.found.threshold:g}"
    return f"{filled('recommended', threshold=threshold, why=advice.why, option=advice.option)}\n{found}"


def _operating(row: Operating) -> tuple[str, ...]:
    shares = map(_share, (row.precision, row.recall, row.f1, row.accuracy))
    return (f"{row.threshold:g}", *shares, f"{row.false_positives:,}", f"{row.false_negatives:,}")


def numbers(what: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of numbers, whose cells are HTML; the first of each row names it."""
    head = "".join(f'<th scope="col" class="number">{text}</th>' for text in heads)
    body = "\n".join(
        f'<tr><th scope="row" class="number">{first}</th>'
        + "".join(f'<td class="number">{cell}</td>' for cell in cells)
        + "</tr>"
        for first, *cells in rows
    )
    return html.scroll_box(what, filled("numbers", heads=head, rows=body))


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)
