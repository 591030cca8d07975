"""Sections of a page: how often a model is right, label by label, and what it takes for what."""

from collections.abc import Sequence

import numpy as np

from ...common import html
from ...common.output import many
from ..measures.evaluation import Evaluation, LabelScore
from .pieces import filled, name, rest, share

LABELS_LISTED = 100  # rows of the table of labels
LABELS_NAMED, LABELS_CROSSED = 12, 40  # columns with names in the confusion table; columns at all
CONFUSIONS = 10
SHADES = 10  # in page.css
METRIC_NAMES = {"macro-f1": "macro-F1"}


def accuracy(scores: Evaluation) -> str:
    """Return the whole section."""
    unknown = ""
    if scores.unknown_labels:
        n = sum(map(sum, scores.confusion[-len(scores.unknown_labels) :]))
        unknown = filled(
            "unknown labels",
            labels=many(len(scores.unknown_labels), "label"),
            texts=many(n, "held-out text"),
        )
    notices = "".join(
        f'<p class="notice">{html.text(said[:1].upper() + said[1:])}.</p>\n' for said in scores.warnings
    )
    parts = [_headline(scores), notices + unknown]
    parts += [_label_table(scores), _confusion(scores)]
    return "\n".join(part for part in parts if part)


def _headline(scores: Evaluation) -> str:
    """Return what the model gets beside what guessing gets, as large."""
    # Where accuracy is the metric, it says nothing of rare labels: another one stands beside it.
    metric = "macro-f1" if scores.metric == "accuracy" else scores.metric
    value = scores.score(metric)
    low, high = map(share, scores.interval)
    return filled(
        "headline",
        share=share(scores.accuracy),
        guessing_share=share(scores.guessing("accuracy")),
        guess=name(scores.guess),
        n=scores.n,
        low=low,
        high=high,
        metric=METRIC_NAMES.get(metric, metric.replace("-", " ")),
        value=value,
        guessing=scores.guessing(metric),
    )


def _label_table(scores: Evaluation) -> str:
    """Return the table of labels, those with the lowest F1 first."""
    rows = sorted(scores.label_scores, key=lambda row: (row.f1 or 0.0, -row.n, row.label))
    listed = rows[:LABELS_LISTED]
    lines = [_label_row(row, scores) for row in listed]
    left_out = rest(len(rows) - len(listed), "label", "that did better not shown")
    return filled("labels", rows="\n".join(lines), rest=left_out)


def _label_row(row: LabelScore, scores: Evaluation) -> str:
    curves = scores.ladder(row.label)
    areas = (curves.area, curves.average_precision) if curves else (None, None)
    cells = [_cell(value, share) for value in (row.f1, row.precision, row.recall)] + [
        _cell(value, "{:.3f}".format) for value in areas
    ]
    return filled("label", name=name(row.label), n=row.n, shares="".join(cells))


def _cell(value: float | None, shown) -> str:
    if value is None:
        return '<td class="number" data-key="">–</td>'
    return f'<td class="number" data-key="{value!r}">{shown(value)}</td>'


def _confusion(scores: Evaluation) -> str:
    """Return the table of true and predicted labels; of very many, those without mistakes are together."""
    counts = np.asarray(scores.confusion)
    names = [name(label) for label in scores.labels]
    if len(names) <= LABELS_NAMED:
        return filled("confusion", table=_cross_table(names, names, counts), note="")
    note, most = "", _most_frequent(names, counts)
    if len(names) > LABELS_CROSSED:
        mistakes = counts.sum(axis=0) + counts.sum(axis=1) - 2 * counts.diagonal()
        often = np.argsort(-mistakes, kind="stable")
        kept, others = np.sort(often[: LABELS_CROSSED - 1]), often[LABELS_CROSSED - 1 :]
        names = [names[i] for i in kept] + [f"<em>{len(others):,} others</em>"]
        note = filled("other labels", right=counts.diagonal()[others].sum())
        place = np.full(len(scores.labels), len(kept))  # in the smaller table
        place[kept] = np.arange(len(kept))
        whole, counts = counts, np.zeros((len(names), len(names)), int)
        np.add.at(counts, (place[:, None], place), whole)
    heads = [f"<abbr>{i}</abbr>" for i in range(1, len(names) + 1)]
    beside = [f"{label} <small>{i}</small>" for i, label in enumerate(names, 1)]
    table = f'<div class="heat">{_cross_table(heads, beside, counts)}</div>'
    return filled("confusion", table=table, note=note) + most


def _cross_table(heads: Sequence[str], names: Sequence[str], counts: np.ndarray) -> str:
    rows = [
        (label, [_crossed(row, i, j) for j in range(len(names))])
        for i, (label, row) in enumerate(zip(names, counts.tolist(), strict=True))
    ]
    return html.confusion_table(heads, rows)


def _crossed(row: list[int], i: int, j: int) -> str:
    shade = round(SHADES * (row[j] / max(sum(row), 1)) ** 0.5)  # the root: mistakes are a small share
    return f'<td class="number {"right" if i == j else "wrong"}-{shade}">{row[j]:,}</td>'


def _most_frequent(names: Sequence[str], counts: np.ndarray) -> str:
    """Return the table of the mistakes made most often."""
    wrong = counts - np.diag(counts.diagonal())
    worst = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSIONS]
    pairs = [(i, j) for i, j in zip(*np.unravel_index(worst, wrong.shape), strict=True) if wrong[i, j]]
    if not pairs:
        return ""
    rows = [
        filled(
            "frequent confusion",
            true=names[i],
            predicted=names[j],
            n=wrong[i, j],
            share=share(wrong[i, j] / counts[i].sum()),
        )
        for i, j in pairs
    ]
    return "\n" + filled("frequent confusions", rows="\n".join(rows))
