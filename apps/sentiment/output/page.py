"""The report on a training: one HTML page that shows how good the model is, and where it goes wrong."""

import os
import re
from importlib.metadata import version

import numpy as np

from fastsvm.fitting import Pipeline

from ...common import html
from ...common.output import many
from ...common.statistics import wilson_interval
from ..jobs.evaluation import Evaluation
from ..jobs.explanation import Explainer
from ..jobs.trained import Side, Training
from ..measures import diagnostics
from ..measures.prediction import decide
from ..measures.scores import HeldOut
from . import page_curves, page_scores
from .highlights import highlight, shorten
from .page_thresholds import thresholds
from .pieces import filled, name, rest
from .tables import certificate
from .terms import shown

LABELS_WITH_WORDS = 24
MISTAKES = 12
LONGEST = 1_000_000  # characters of a text whose words are marked: each word of it takes memory
WORDS_OF_WEIGHTINGS = {
    "counts": "how often the text has them",
    "binary": "whether the text has them",
    "tfidf": "tf-idf: how often the text has them, the more the rarer they are",
    "nb": "naive Bayes: how much more often texts of a label have them",
}


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
    several = len(training.fitted.classes_) > 2
    sections = [
        ("accuracy", "Accuracy", _accuracy(training)),
        ("curves", "Precision and recall" if several else "ROC and precision-recall", _curves(training)),
        ("calibration", "Calibration", _calibration(training)),
        ("thresholds", "Thresholds", _thresholds(training)),
        ("learning", "Learning curve", _learning(training)),
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
    return filled(
        "header", corpus=html.bdi(corpus), origin=origin, skipped=skipped, facts=html.fact_boxes(facts)
    )


# What the held-out texts say


def _accuracy(training: Training) -> str:
    if training.held_out is None:
        return filled("nothing held out")
    return page_scores.accuracy(training.scores, training.held_out, training.tried.classes_, training.trial)


def _curves(training: Training) -> str:
    if training.held_out is None:
        return ""
    return page_curves.curves(training.tried.classes_, training.held_out)


def _calibration(training: Training) -> str:
    held_out = training.held_out
    if held_out is None:
        return ""
    return page_curves.calibration(training.tried.classes_, held_out, training.calibration)


def _thresholds(training: Training) -> str:
    if training.held_out is None:
        return ""
    model, skipped = str(training.model), training.skipped
    found = thresholds(Evaluation(model, training.tried, training.scores, training.held_out, [], skipped))
    return found and f"{found}\n{filled('wanted threshold')}"


def _learning(training: Training) -> str:
    points, metric = training.learning_curve, training.settings.metric
    if len(points) < 2:
        return ""
    intervals = None
    if metric == "accuracy":
        n = training.n_test
        intervals = [wilson_interval(round(point.accuracy * n), n) for point in points]
    sizes, values = [point.n_train for point in points], [point.value for point in points]
    return page_curves.learning(sizes, values, intervals, metric.replace("-", " "))


# Words and texts


def _words(training: Training) -> str:
    sides = sorted(training.sides, key=lambda side: -training.label_counts.get(side.label, 0))
    shown = [side for side in sides if side.words][:LABELS_WITH_WORDS]
    if not shown:
        return "<p>None: no word has a weight.</p>"
    most = max(abs(item.weight) for side in shown for item in side.words)
    left_out = rest(len(sides) - len(shown), "label", "without words here")
    return filled("words", sides="\n".join(_side(side, most) for side in shown), rest=left_out)


def _side(side: Side, most: float) -> str:
    decimals = 3 if most < 10 else 2 if most < 100 else 1  # as wide as the column is
    rows = [
        filled(
            "word",
            word=html.bdi(shorten(shown(word), 40)),
            width=100 * abs(weight) / most,
            weight=f"{weight:+.{decimals}f}" if most < 1e4 else f"{weight:+.2e}",
        )
        for word, weight in side.words
    ]
    return filled("words of a label", name=name(side.label), rows="\n".join(rows))


def _mistakes(training: Training) -> str:
    return "" if training.held_out is None else mistakes(training.tried, training.held_out)


def mistakes(model: Pipeline, held_out: HeldOut) -> str:
    """Return the texts given a wrong label that the model was surest of, with their words marked."""
    classes = model.classes_
    wrong = np.flatnonzero(~diagnostics.correct(classes, held_out))
    if not len(wrong):
        return "<p>None: the label of every held-out text was found.</p>"
    margin = diagnostics.margins(held_out.decision)
    worst = wrong[np.argsort(-margin[wrong], kind="stable")][:MISTAKES]
    predicted = decide(classes, held_out.decision)
    explainer = Explainer(model)
    items = "\n".join(
        _mistake(explainer, held_out.texts[i], held_out.labels[i], str(predicted[i]), margin[i])
        for i in worst
    )
    count = f"{len(worst):,} of {len(wrong):,}" if len(worst) < len(wrong) else f"All {len(wrong):,}"
    return filled("mistakes", count="The only one" if len(wrong) == 1 else count, items=items)


def _mistake(explainer: Explainer, source: str, true: str, predicted: str, margin: float) -> str:
    spans, note = [], "It is too long for its words to be marked."
    if len(source) <= LONGEST:
        spans = explainer.explain(source, predicted).spans
        note = "" if spans else "It has no word that the model knows."
    note = f'\n<p class="soft">{note}</p>' if note else ""
    labels = {"true": name(true), "predicted": name(predicted)}
    return filled("mistake", **labels, margin=margin, text=highlight(source, spans), note=note)


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
    which = filled("one of several", name=name(str(training.fitted.classes_[worst]))) if several else ""
    advice = " More epochs, or a larger alpha, would bring it nearer." if relative > 0.01 else ""
    numbers = {"objective": objective, "bound": objective - gap, "percent": 100 * relative}
    return filled("certificate", which=which, **numbers, advice=advice)


def _range(ends: tuple[int, int] | None) -> str:
    """Return how many in a row make a term."""
    if ends is None:
        return "none"
    shortest, longest = ends
    return f"{shortest} to {longest}" if shortest < longest else f"{longest}"


def _again(training: Training, command: str) -> str:
    steps = training.fitted.named_steps
    weighting = getattr(steps.get("weighting"), "weighting", "counts")
    classifier = steps["classifier"]
    loss = getattr(classifier, "loss", None)
    alpha = training.settings.alpha
    facts = {
        "Classifier": f"{type(classifier).__name__}{f', loss {loss}' if loss else ''}",
        "Regularisation alpha": "none" if alpha is None else f"{alpha:g}",
        "Words in a row": _range(training.settings.ngrams),
        "Characters in a row": _range(training.settings.chars),
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
    return filled("again", command=parts, rows="\n".join(rows))
