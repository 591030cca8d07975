"""The report on a training: one HTML page that shows how good the model is, and where it goes wrong."""

import os
import re
from importlib.metadata import version

import numpy as np

from fastsvm.fitting import Pipeline

from ...common import html
from ...common.output import many
from ...common.statistics import wilson_interval
from ..jobs.explanation import Explainer
from ..jobs.training import Training
from ..measures.evaluation import Evaluation
from ..measures.term_effects import TopWords
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
    several = len(training.model.classes_) > 2
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
        ("texts to train on", training.corpus.n_train),
        ("texts held out", training.corpus.n_test),
        ("labels", len(training.corpus.label_counts)),
        ("terms known", training.fit.n_features),
    ]
    origin = [training.path, training.settings.classifier, f"fastsvm {version('fastsvm')}"]
    skipped = ""
    if training.skipped.count:
        skipped = f'<p class="notice">{many(training.skipped.count, "record")} of the corpus skipped.</p>\n'
    origin = " · ".join(map(html.bdi, origin))
    return filled(
        "header", corpus=html.bdi(corpus), origin=origin, skipped=skipped, facts=html.fact_boxes(facts)
    )


# What the held-out texts say


def _accuracy(training: Training) -> str:
    return page_scores.accuracy(training.evaluation) if training.evaluation else filled("nothing held out")


def _curves(training: Training) -> str:
    return page_curves.curves(training.evaluation) if training.evaluation else ""


def _calibration(training: Training) -> str:
    return page_curves.calibration(training.evaluation) if training.evaluation else ""


def _thresholds(training: Training) -> str:
    found = thresholds(training.evaluation) if training.evaluation else ""
    return found and f"{found}\n{filled('wanted threshold')}"


def _learning(training: Training) -> str:
    points, metric = training.learning_curve, training.settings.metric
    if len(points) < 2:
        return ""
    intervals = None
    if metric == "accuracy":
        n = training.corpus.n_test
        intervals = [wilson_interval(round(point.accuracy * n), n) for point in points]
    sizes, values = [point.n_train for point in points], [point.value for point in points]
    return page_curves.learning(sizes, values, intervals, metric.replace("-", " "))


# Words and texts


def _words(training: Training) -> str:
    sides = sorted(training.fit.top_words, key=lambda side: -training.corpus.label_counts.get(side.label, 0))
    shown = [side for side in sides if side.words][:LABELS_WITH_WORDS]
    if not shown:
        return "<p>None: no word has a weight.</p>"
    most = max(abs(item.weight) for side in shown for item in side.words)
    left_out = rest(len(sides) - len(shown), "label", "without words here")
    return filled("words", sides="\n".join(_side(side, most) for side in shown), rest=left_out)


def _side(side: TopWords, most: float) -> str:
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
    return mistakes(training.tested, training.evaluation) if training.evaluation else ""


def mistakes(model: Pipeline, found: Evaluation) -> str:
    """Return the texts with a wrong label that the model was surest of, with their words marked."""
    wrong = found.mistakes
    if not len(wrong):
        return "<p>None: the label of every held-out text was found.</p>"
    worst = wrong[:MISTAKES]
    explainer = Explainer(model)
    items = "\n".join(
        _mistake(explainer, found.texts[i], found.truth[i], found.given[i], found.margins[i]) for i in worst
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
    if training.fit.relative_gap is None:
        return f"<p>{html.text(certificate(training).capitalize())}.</p>"
    worst = int(np.argmax(training.fit.relative_gap))
    objective, gap, relative = (
        float(np.atleast_1d(numbers)[worst])
        for numbers in (training.fit.objective, training.fit.gap, training.fit.relative_gap)
    )
    several = np.ndim(training.fit.objective) > 0
    which = filled("one of several", name=name(str(training.model.classes_[worst]))) if several else ""
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
    steps = training.model.named_steps
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
        "Terms kept": f"{training.fit.n_features:,} of {training.fit.n_features_seen:,}",
        "Epochs": f"{np.max(training.fit.n_iter):,}",
        "Seed": training.settings.seed,
        "Versions": ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy")),
    }
    rows = [
        f'<tr><th scope="row">{name}</th><td>{html.text(value)}</td></tr>' for name, value in facts.items()
    ]
    # A line ends between options, not at their hyphens.
    parts = " ".join(f"<span>{html.text(part)}</span>" for part in re.split(" (?=--)", command))
    return filled("again", command=parts, rows="\n".join(rows))
