"""The report on a training: one HTML page that shows how good the model is, and where it goes wrong."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import numpy as np

from ...common.html import bdi, confusion_table, fact_boxes, packaged, page, with_links, write_page
from ...common.output import many, percent
from ..model import diagnostics
from ..model.explanation import Explainer
from ..model.prediction import decide
from ..model.training import Training
from . import highlights, page_charts
from .highlights import highlight, shorten
from .page_charts import Axis, Chart
from .provenance import again_section, certificate_section

LABELS_LISTED, LABELS_CROSSED = 100, 12  # rows of the table of labels; of the confusion table
LABELS_WITH_WORDS = 12
MISTAKES = 12
LONGEST = 1_000_000  # characters of a text whose words are marked: each word of it takes memory
SHADES = 10


def write_report(path: str | os.PathLike[str], training: Training, corpus: str, command: str) -> None:
    """Write the report on a training.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    training : Training
        With or without held-out texts.
    corpus : str
        What the corpus is called.
    command : str
        The command line that does this training again.
    """
    sections = [
        ("accuracy", "Accuracy", _accuracy(training)),
        ("curves", "ROC and precision-recall", _curves(training)),
        ("calibration", "Calibration", _calibration(training)),
        ("words", "Top words", _words(training)),
        ("mistakes", "The most certain mistakes", _mistakes(training)),
        ("certificate", "Certificate", certificate_section(training)),
        ("again", "Reproduction", again_section(training, command)),
    ]
    body = f"{_header(training, corpus)}\n{with_links(sections)}"
    write_page(path, page(f"Text classifier: {corpus}", body, style=_style()))


def _header(training: Training, corpus: str) -> str:
    facts = [
        ("texts to train on", training.n_train),
        ("texts held out", training.n_test),
        ("labels", len(training.label_counts)),
        ("terms known", training.n_features),
    ]
    origin = [training.model, training.settings.classifier, f"fastsvm {version('fastsvm')}"]
    skipped = ""
    if training.skipped.count:
        skipped = f'<p class="notice">{many(training.skipped.count, "record")} of the corpus skipped.</p>\n'
    return f"""<header>
<h1>Text classifier: {bdi(corpus)}</h1>
<p class="soft">{" · ".join(map(bdi, origin))}</p>
{skipped}{fact_boxes(facts)}
</header>"""


# Accuracy


def _accuracy(training: Training) -> str:
    scores = training.scores
    if scores is None:
        return (
            "<p>Nothing is held out: the model was trained on every text (<code>--holdout 0</code>), so that "
            "none is left to try it on. How good it is shows on other labelled texts, with "
            "<code>fastsvm-sentiment evaluate</code>.</p>"
        )
    low, high = scores.interval
    commonest = max(training.label_counts, key=training.label_counts.get)
    guessing = training.held_out.labels.count(commonest) / scores.n
    unknown = ""
    if scores.unknown_labels:
        n = sum(map(sum, scores.confusion[-len(scores.unknown_labels) :]))
        unknown = (
            f" {many(len(scores.unknown_labels), 'label')} of {many(n, 'held-out text')} "
            "did not occur in training: these texts count as mistakes."
        )
    return f"""<p><strong class="figure">{_percent(scores.accuracy)}</strong> of {scores.n:,} held-out texts
right; 95 % interval {_percent(low)} to {_percent(high)}. Always saying {_name(commonest)} would be right for
{_percent(guessing)}.{unknown}</p>
{_label_table(training)}
{_confusion(training)}"""


def _label_table(training: Training) -> str:
    rows = sorted(diagnostics.label_scores(training.scores), key=lambda row: (-row.n, row.label))
    macro = sum(row.f1 or 0.0 for row in rows) / len(rows)
    listed = rows[:LABELS_LISTED]
    cells = "\n".join(
        f'<tr><th scope="row">{_name(row.label)}</th><td class="number" data-key="{row.n}">{row.n:,}</td>'
        f"{_share_cell(row.precision)}{_share_cell(row.recall)}{_share_cell(row.f1)}</tr>"
        for row in listed
    )
    note = _rest(len(rows) - len(listed), "label")
    return f"""<h3>Each label</h3>
<p class="soft">Precision: share of the texts given the label that have it. Recall: share of the texts with
the label that were given it. F1: their harmonic mean; its mean over all labels is {_percent(macro)}.</p>
<div class="scroll fit" tabindex="0" role="region" aria-label="Table of labels">
<table class="sortable">
<thead><tr><th scope="col">Label</th><th scope="col" class="number">Texts</th>
<th scope="col" class="number">Precision</th><th scope="col" class="number">Recall</th>
<th scope="col" class="number">F1</th></tr></thead>
<tbody>
{cells}
</tbody>
</table>
</div>{note}"""


def _share_cell(share: float | None) -> str:
    if share is None:
        return '<td class="number" data-key="">–</td>'
    return f'<td class="number" data-key="{share!r}">{_percent(share)}</td>'


def _confusion(training: Training) -> str:
    """Return the table of true and predicted labels; of many labels, the rare ones are taken together."""
    labels, counts = training.scores.labels, np.asarray(training.scores.confusion)
    names = [_name(label) for label in labels]
    note = ""
    if len(labels) > LABELS_CROSSED:
        often = np.argsort(-counts.sum(axis=1), kind="stable")
        kept, others = np.sort(often[: LABELS_CROSSED - 1]), often[LABELS_CROSSED - 1 :]
        names = [names[i] for i in kept] + [f"<em>{len(others):,} others</em>"]
        right = counts.diagonal()[others].sum()
        counts = np.block(
            [
                [counts[np.ix_(kept, kept)], counts[np.ix_(kept, others)].sum(axis=1, keepdims=True)],
                [counts[np.ix_(others, kept)].sum(axis=0), counts[np.ix_(others, others)].sum()],
            ]
        )
        note = (
            f'\n<p class="soft">The labels of the fewest texts are taken together; of the texts in the last '
            f"cell {right:,} got the right one of them.</p>"
        )
    rows = [
        (name, [_crossed(row, i, j) for j in range(len(names))])
        for i, (name, row) in enumerate(zip(names, counts.tolist(), strict=True))
    ]
    return f"""<h3>True and predicted labels</h3>
<p class="soft">Rows: true label. Columns: predicted label. The deeper the colour, the larger the share of its
row.</p>
{confusion_table(names, rows)}{note}"""


def _crossed(row: list[int], i: int, j: int) -> str:
    shade = round(SHADES * (row[j] / max(sum(row), 1)) ** 0.5)  # the root: mistakes are a small share
    return f'<td class="number {"right" if i == j else "wrong"}-{shade}">{row[j]:,}</td>'


# Curves


def _curves(training: Training) -> str:
    if training.held_out is None:
        return ""
    classes = training.fitted.classes_
    names = [str(label) for label in classes]
    two = len(names) == 2
    often = Counter(training.held_out.labels)
    chosen = (
        names[1:] if two else sorted(names, key=lambda label: (-often[label], label))[: page_charts.SERIES]
    )
    found = [diagnostics.curves(classes, training.held_out, label) for label in chosen]
    drawn = [curve for curve in found if curve]
    if not drawn:
        return "<p>None: they need held-out texts with and without a label.</p>"
    told = "; ".join(
        f"{shorten(c.label)}: area {c.area:.3f}, average precision {c.average_precision:.3f}" for c in drawn
    )
    roc = Chart(f"ROC curve. {told}", Axis("false positive rate"), Axis("true positive rate"))
    roc.line([(0, 0), (1, 1)], "guide")
    pr = Chart(f"Precision-recall curve. {told}", Axis("recall"), Axis("precision"))
    if two:
        pr.line([(0, drawn[0].share), (1, drawn[0].share)], "guide")
    for i, curve in enumerate(drawn):
        roc.line(curve.roc, f"series-{i}")
        pr.line(curve.precision_recall, f"series-{i}")
    rows = "\n".join(
        f'<tr><th scope="row">{"" if two else page_charts.sample(i)}{_name(curve.label)}</th>'
        f'<td class="number">{curve.area:.3f}</td><td class="number">{curve.average_precision:.3f}</td>'
        f'<td class="number">{_percent(curve.share)}</td></tr>'
        for i, curve in enumerate(drawn)
    )
    rest = "" if two else _rest(len(names) - len(drawn), "label", "without curves here")
    against = f"{_name(names[1])} against {_name(names[0])}" if two else "Each label against the rest"
    return f"""<p>{against}, at every threshold that the score could have. Grey and dashed: guessing,
which has an ROC area of .5 and, as its average precision, the share of the texts that have the label.</p>
<div class="pair">
{_figure("ROC curve", roc)}
{_figure("Precision-recall curve", pr)}
</div>
<div class="scroll fit" tabindex="0" role="region" aria-label="Areas under the curves">
<table>
<thead><tr><th scope="col">Label</th><th scope="col" class="number">ROC area</th>
<th scope="col" class="number">Average precision</th>
<th scope="col" class="number">Share of texts</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>{rest}"""


# Calibration


def _calibration(training: Training) -> str:
    if training.held_out is None:
        return ""
    # Fitting probabilities to the decisions of the very texts they are tried on would prove nothing.
    if hasattr(training.fitted, "predict_proba"):
        return _reliability(training)
    return _by_margin(training)


def _reliability(training: Training) -> str:
    classes, held_out = training.fitted.classes_, training.held_out
    probability = training.fitted.predict_proba(held_out.texts)
    if len(classes) == 2:
        second = str(classes[1])
        what, whose = f"has the label {_name(second)}", f"of the label {shorten(second)}"
        sure, right = probability[:, 1], np.asarray(held_out.labels, dtype=object) == second
        axes = Axis("probability, mean of the group"), Axis("share of texts with the label")
    else:
        what, whose = "has the label predicted for it", "of the predicted label"
        sure, right = probability.max(axis=1), diagnostics.correct(classes, held_out)
        axes = Axis("probability, mean of the group"), Axis("share of texts predicted right")
    groups = diagnostics.by_probability(sure, right)
    off = sum(group.n * abs(group.share - group.mean) for group in groups) / len(sure)
    told = "; ".join(f"{group.mean:.2f}: {_percent(group.share)}" for group in groups)
    chart = Chart(f"Share of texts by the probability {whose}. {told}", *axes)
    chart.line([(0, 0), (1, 1)], "guide")
    chart.whiskers((group.mean, *group.interval) for group in groups)
    chart.line((group.mean, group.share) for group in groups)
    chart.dots((group.mean, group.share) for group in groups)
    return f"""<p>The model says how probable it is that a text {what}. Where that is right, the dots lie on
the dashed line: of the texts with probability .8, 80 % are so. Lines at the dots: 95 % intervals. The mean
distance, weighted by the texts, is <strong>{_percent(off)}</strong>.</p>
<div class="pair">
{_figure("Probability and truth", chart)}
{_group_table(groups, "Probability", "Share")}
</div>"""


def _by_margin(training: Training) -> str:
    margin = diagnostics.margins(training.held_out.decision)
    right = diagnostics.correct(training.fitted.classes_, training.held_out)
    groups = diagnostics.by_margin(margin, right, max(1, min(10, len(margin) // 10)))
    told = "; ".join(f"group {i}: {_percent(group.share)}" for i, group in enumerate(groups, 1))
    ticks = [(i, str(i)) for i in range(1, len(groups) + 1)]
    chart = Chart(
        f"Accuracy by margin, from the least to the most certain. {told}",
        Axis("group, from the least to the most certain", 0.5, len(groups) + 0.5, ticks),
        Axis("share predicted right"),
    )
    chart.bars([(i, group.share) for i, group in enumerate(groups, 1)], 0.8)
    chart.whiskers((i, *group.interval) for i, group in enumerate(groups, 1))
    ahead = "from 0" if len(training.fitted.classes_) == 2 else "from the second-best label's"
    return f"""<p>The scores of this classifier are no probabilities (for those, train with a logistic loss).
But the farther a score is {ahead}, its margin, the surer the model. Here the held-out texts are in groups of
about the same size by their margin. Lines at the bars: 95 % intervals.</p>
<div class="pair">
{_figure("Accuracy by margin", chart)}
{_group_table(groups, "Margin", "Right")}
</div>"""


def _group_table(groups: Sequence[diagnostics.Group], value: str, share: str) -> str:
    rows = "\n".join(
        f'<tr><th scope="row" class="number">{i}</th>'
        f'<td class="number">{group.low:.3f} to {group.high:.3f}</td>'
        f'<td class="number">{group.n:,}</td><td class="number">{_percent(group.share)}</td></tr>'
        for i, group in enumerate(groups, 1)
    )
    return f"""<div class="scroll fit" tabindex="0" role="region" aria-label="The groups in numbers">
<table>
<thead><tr><th scope="col" class="number">Group</th><th scope="col" class="number">{value}</th>
<th scope="col" class="number">Texts</th><th scope="col" class="number">{share}</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>"""


# Words and texts


def _words(training: Training) -> str:
    sides = sorted(training.sides, key=lambda side: -training.label_counts.get(side.label, 0))
    shown = [side for side in sides if side.words][:LABELS_WITH_WORDS]
    if not shown:
        return "<p>None: no word has a weight.</p>"
    most = max(abs(item.weight) for side in shown for item in side.words)
    parts = [
        f"<section>\n<h3>{_name(side.label)}</h3>\n{_bars(side.words, most)}\n</section>" for side in shown
    ]
    rest = _rest(len(sides) - len(shown), "label", "without words here")
    return '<div class="words">\n' + "\n".join(parts) + f"\n</div>{rest}"


def _bars(words: Iterable, most: float) -> str:
    rows = "\n".join(
        f'<tr><th scope="row">{bdi(shorten(item.word, 40))}</th>'
        f'<td class="bar"><svg aria-hidden="true"><rect width="{100 * abs(item.weight) / most:.2f}%" '
        f'height="100%"/></svg></td><td class="number">{item.weight:+.3f}</td></tr>'
        for item in words
    )
    return f"""<table aria-label="Words and their weights">
<tbody>
{rows}
</tbody>
</table>"""


def _mistakes(training: Training) -> str:
    if training.held_out is None:
        return ""
    classes, held_out = training.fitted.classes_, training.held_out
    wrong = np.flatnonzero(~diagnostics.correct(classes, held_out))
    if not len(wrong):
        return "<p>None: the label of every held-out text was found.</p>"
    margin = diagnostics.margins(held_out.decision)
    worst = wrong[np.argsort(-margin[wrong], kind="stable")][:MISTAKES]
    predicted = decide(classes, held_out.decision)[0]
    explainer = Explainer(training.fitted)
    items = "\n".join(
        _mistake(explainer, held_out.texts[i], held_out.labels[i], str(predicted[i]), margin[i])
        for i in worst
    )
    count = f"{len(worst):,} of {len(wrong):,}" if len(worst) < len(wrong) else f"All {len(wrong):,}"
    if len(wrong) == 1:
        count = "The only one"
    return f"""<p>{count}. Marked words speak <mark class="for-3">for the predicted label</mark> or
<mark class="against-3">against it</mark>, the stronger the colour the more; long texts are shortened
around the strongest. Some may have the wrong label in the corpus.</p>
<ol class="mistakes">
{items}
</ol>"""


def _mistake(explainer: Explainer, source: str, true: str, predicted: str, margin: float) -> str:
    spans, note = [], "It is too long for its words to be marked."
    if len(source) <= LONGEST:
        spans = explainer.explain(source, predicted).spans
        note = "" if spans else "It has no word that the model knows."
    note = f'\n<p class="soft">{note}</p>' if note else ""
    return f"""<li><p class="soft">true {_name(true)}, predicted {_name(predicted)}, margin {margin:.3f}</p>
<blockquote dir="auto">{highlight(source, spans)}</blockquote>{note}</li>"""


# Training


def _name(label: str) -> str:
    return bdi(shorten(label))


def _percent(share: float) -> str:
    return percent(share).replace(" ", "\N{NO-BREAK SPACE}")


def _figure(title: str, chart: Chart) -> str:
    return f"<figure>\n<figcaption>{title}</figcaption>\n{chart.svg()}\n</figure>"


def _rest(count: int, name: str, fate: str = "not shown") -> str:
    return f'\n<p class="soft">{many(count, f"more {name}")} {fate}.</p>' if count else ""


def _style() -> str:
    shades = "".join(
        f".{kind}-{shade} {{ background: color-mix(in srgb, var({color}) {5 * shade}%, transparent); }}\n"
        for kind, color in (("right", "--accent"), ("wrong", "--bad"))
        for shade in range(1, SHADES + 1)
    )
    return page_charts.STYLE + highlights.STYLE + packaged(__package__, "page.css") + shades
