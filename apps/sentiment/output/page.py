"""The report on a training: one HTML page that shows how good the model is, and where it goes wrong."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version

import numpy as np

from ...common import html
from ...common.output import many, percent
from ..model import diagnostics
from ..model.explanation import Explainer
from ..model.prediction import decide
from ..model.training import Side, Training
from . import page_charts
from .highlights import highlight, shorten
from .page_charts import Axis, Chart
from .tables import certificate

LABELS_LISTED, LABELS_CROSSED = 100, 12  # rows of the table of labels; of the confusion table
LABELS_WITH_WORDS = 12
MISTAKES = 12
LONGEST = 1_000_000  # characters of a text whose words are marked: each word of it takes memory
SHADES = 10  # in page.css
WORDS_OF_WEIGHTINGS = {
    "counts": "how often the text has them",
    "binary": "whether the text has them",
    "tfidf": "tf-idf: how often the text has them, the more the rarer they are",
    "nb": "naive Bayes: how much more often texts of a label have them",
}

_filled = partial(html.filled, __package__)


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
        ("certificate", "Certificate", _certificate(training)),
        ("again", "Reproduction", _again(training, command)),
    ]
    body = f"{_header(training, corpus)}\n{html.with_links(sections)}"
    html.write_page(
        path, html.page(f"Text classifier: {corpus}", body, style=html.packaged(__package__, "page.css"))
    )


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
    origin = " · ".join(map(html.bdi, origin))
    return _filled(
        "header", corpus=html.bdi(corpus), origin=origin, skipped=skipped, facts=html.fact_boxes(facts)
    )


# Accuracy


def _accuracy(training: Training) -> str:
    scores = training.scores
    if scores is None:
        return _filled("nothing held out")
    commonest = max(training.label_counts, key=training.label_counts.get)
    guessing = training.held_out.labels.count(commonest) / scores.n
    share, guessing, low, high = map(_percent, (scores.accuracy, guessing, *scores.interval))
    unknown = ""
    if scores.unknown_labels:
        n = sum(map(sum, scores.confusion[-len(scores.unknown_labels) :]))
        unknown = (
            f" {many(len(scores.unknown_labels), 'label')} of {many(n, 'held-out text')} "
            "did not occur in training: these texts count as mistakes."
        )
    said = {"share": share, "low": low, "high": high, "guessing": guessing, "commonest": _name(commonest)}
    accuracy = _filled("accuracy", n=scores.n, **said, unknown=unknown)
    return f"{accuracy}\n{_label_table(training)}\n{_confusion(training)}"


def _label_table(training: Training) -> str:
    rows = sorted(diagnostics.label_scores(training.scores), key=lambda row: (-row.n, row.label))
    macro = sum(row.f1 or 0.0 for row in rows) / len(rows)
    listed = rows[:LABELS_LISTED]
    lines = [
        _filled("label", name=_name(label), n=n, shares="".join(map(_share_cell, shares)))
        for label, n, *shares in listed
    ]
    rest = _rest(len(rows) - len(listed), "label")
    return _filled("labels", macro=_percent(macro), rows="\n".join(lines), rest=rest)


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
        note = _filled("rare labels", right=counts.diagonal()[others].sum())
        place = np.full(len(labels), len(kept))  # in the smaller table
        place[kept] = np.arange(len(kept))
        whole, counts = counts, np.zeros((len(names), len(names)), int)
        np.add.at(counts, (place[:, None], place), whole)
    rows = [
        (name, [_crossed(row, i, j) for j in range(len(names))])
        for i, (name, row) in enumerate(zip(names, counts.tolist(), strict=True))
    ]
    return _filled("confusion", table=html.confusion_table(names, rows), note=note)


def _crossed(row: list[int], i: int, j: int) -> str:
    shade = round(SHADES * (row[j] / max(sum(row), 1)) ** 0.5)  # the root: mistakes are a small share
    return f'<td class="number {"right" if i == j else "wrong"}-{shade}">{row[j]:,}</td>'


# Curves


def _curves(training: Training) -> str:
    if training.held_out is None:
        return ""
    classes = training.tried.classes_
    names = [str(label) for label in classes]
    two = len(names) == 2
    often = Counter(training.held_out.labels)
    ranked = sorted(names, key=lambda label: (-often[label], label))
    chosen = names[1:] if two else ranked[: page_charts.SERIES]
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
    rows = []
    for i, curve in enumerate(drawn):
        roc.line(curve.roc, f"series-{i}")
        pr.line(curve.precision_recall, f"series-{i}")
        name = f"{'' if two else page_charts.sample(i)}{_name(curve.label)}"
        rows.append(_filled("curve", name=name, curve=curve, share=_percent(curve.share)))
    return _filled(
        "curves",
        against=f"{_name(names[1])} against {_name(names[0])}" if two else "Each label against the rest",
        roc=_figure("ROC curve", roc),
        precision_recall=_figure("Precision-recall curve", pr),
        rows="\n".join(rows),
        rest="" if two else _rest(len(names) - len(drawn), "label", "without curves here"),
    )


# Calibration


def _calibration(training: Training) -> str:
    if training.held_out is None:
        return ""
    # Fitting probabilities to the decisions of the very texts they are tried on would prove nothing.
    if training.held_out.probabilities is not None:
        return _reliability(training)
    return _by_margin(training)


def _reliability(training: Training) -> str:
    classes, held_out = training.tried.classes_, training.held_out
    probability = held_out.probabilities
    if len(classes) == 2:
        second = str(classes[1])
        what, whose = f"has the label {_name(second)}", f"of the label {shorten(second)}"
        sure, right = probability[:, 1], np.asarray(held_out.labels, dtype=object) == second
        share = "share of texts with the label"
    else:
        what, whose = "has the label predicted for it", "of the predicted label"
        sure, right = probability.max(axis=1), diagnostics.correct(classes, held_out)
        share = "share of texts predicted right"
    groups = diagnostics.by_probability(sure, right)
    off = sum(group.n * abs(group.share - group.mean) for group in groups) / len(sure)
    told = "; ".join(f"{group.mean:.2f}: {_percent(group.share)}" for group in groups)
    axes = Axis("probability, mean of the group"), Axis(share)
    chart = Chart(f"Share of texts by the probability {whose}. {told}", *axes)
    chart.line([(0, 0), (1, 1)], "guide")
    chart.whiskers((group.mean, *group.interval) for group in groups)
    chart.line((group.mean, group.share) for group in groups)
    chart.dots((group.mean, group.share) for group in groups)
    figure, table = _figure("Probability and truth", chart), _group_table(groups, "Probability", "Share")
    return _filled("reliability", what=what, off=_percent(off), chart=figure, groups=table)


def _by_margin(training: Training) -> str:
    margin = diagnostics.margins(training.held_out.decision)
    right = diagnostics.correct(training.tried.classes_, training.held_out)
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
    ahead = "from 0" if len(training.tried.classes_) == 2 else "from the second-best label's"
    figure, table = _figure("Accuracy by margin", chart), _group_table(groups, "Margin", "Right")
    return _filled("margins", ahead=ahead, chart=figure, groups=table)


def _group_table(groups: Sequence[diagnostics.Group], value: str, share: str) -> str:
    rows = [
        _filled("group", number=i, group=group, share=_percent(group.share))
        for i, group in enumerate(groups, 1)
    ]
    return _filled("groups", value=value, share=share, rows="\n".join(rows))


# Words and texts


def _words(training: Training) -> str:
    sides = sorted(training.sides, key=lambda side: -training.label_counts.get(side.label, 0))
    shown = [side for side in sides if side.words][:LABELS_WITH_WORDS]
    if not shown:
        return "<p>None: no word has a weight.</p>"
    most = max(abs(item.weight) for side in shown for item in side.words)
    rest = _rest(len(sides) - len(shown), "label", "without words here")
    return _filled("words", sides="\n".join(_side(side, most) for side in shown), rest=rest)


def _side(side: Side, most: float) -> str:
    rows = [
        _filled("word", word=html.bdi(shorten(word, 40)), width=100 * abs(weight) / most, weight=weight)
        for word, weight in side.words
    ]
    return _filled("words of a label", name=_name(side.label), rows="\n".join(rows))


def _mistakes(training: Training) -> str:
    if training.held_out is None:
        return ""
    classes, held_out = training.tried.classes_, training.held_out
    wrong = np.flatnonzero(~diagnostics.correct(classes, held_out))
    if not len(wrong):
        return "<p>None: the label of every held-out text was found.</p>"
    margin = diagnostics.margins(held_out.decision)
    worst = wrong[np.argsort(-margin[wrong], kind="stable")][:MISTAKES]
    predicted = decide(classes, held_out.decision)
    explainer = Explainer(training.tried)
    items = "\n".join(
        _mistake(explainer, held_out.texts[i], held_out.labels[i], str(predicted[i]), margin[i])
        for i in worst
    )
    count = f"{len(worst):,} of {len(wrong):,}" if len(worst) < len(wrong) else f"All {len(wrong):,}"
    return _filled("mistakes", count="The only one" if len(wrong) == 1 else count, items=items)


def _mistake(explainer: Explainer, source: str, true: str, predicted: str, margin: float) -> str:
    spans, note = [], "It is too long for its words to be marked."
    if len(source) <= LONGEST:
        spans = explainer.explain(source, predicted).spans
        note = "" if spans else "It has no word that the model knows."
    note = f'\n<p class="soft">{note}</p>' if note else ""
    labels = {"true": _name(true), "predicted": _name(predicted)}
    return _filled("mistake", **labels, margin=margin, text=highlight(source, spans), note=note)


# How the model was made


def _certificate(training: Training) -> str:
    if training.relative_gap is None:
        return f"<p>{html.text(certificate(training).capitalize())}.</p>"
    worst = int(np.argmax(training.relative_gap))
    objective, gap, relative = (
        float(np.atleast_1d(numbers)[worst])
        for numbers in (training.objective, training.gap, training.relative_gap)
    )
    several = np.ndim(training.objective) > 0
    which = _filled("one of several", name=_name(str(training.fitted.classes_[worst]))) if several else ""
    advice = " More epochs, or a larger alpha, would bring it nearer." if relative > 0.01 else ""
    numbers = {"objective": objective, "bound": objective - gap, "percent": 100 * relative}
    return _filled("certificate", which=which, **numbers, advice=advice)


def _again(training: Training, command: str) -> str:
    steps = training.fitted.named_steps
    shortest, longest = getattr(steps["vectorizer"], "ngram_range", (1, 1))
    weighting = getattr(steps.get("weighting"), "weighting", "counts")
    classifier = steps["classifier"]
    loss = getattr(classifier, "loss", None)
    alpha = training.settings.alpha
    facts = {
        "Classifier": f"{type(classifier).__name__}{f', loss {loss}' if loss else ''}",
        "Regularisation alpha": "none" if alpha is None else f"{alpha:g}",
        "Words in a row": f"{shortest} to {longest}" if shortest < longest else longest,
        "Terms weighted by": WORDS_OF_WEIGHTINGS.get(weighting, weighting),
        "Terms kept": f"{training.n_features:,} of {training.n_features_seen:,}",
        "Epochs": f"{np.max(training.n_iter):,}",
        "Seed": training.settings.seed,
        "Versions": ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy")),
    }
    rows = [
        f'<tr><th scope="row">{name}</th><td>{html.text(value)}</td></tr>' for name, value in facts.items()
    ]
    # A line ends between options, not at their hyphens.
    parts = " ".join(f"<span>{html.text(part)}</span>" for part in re.split(" (?=--)", command))
    return _filled("again", command=parts, rows="\n".join(rows))


# Small pieces


def _name(label: str) -> str:
    return html.bdi(shorten(label))


def _percent(share: float) -> str:
    return percent(share).replace(" ", "\N{NO-BREAK SPACE}")


def _figure(title: str, chart: Chart) -> str:
    return _filled("figure", title=title, chart=chart.svg())


def _rest(count: int, name: str, fate: str = "not shown") -> str:
    return f'\n<p class="soft">{many(count, f"more {name}")} {fate}.</p>' if count else ""
