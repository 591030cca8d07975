"""The reports on a training and on an evaluation: one HTML page each."""

import os
import re
from importlib.metadata import version

import numpy as np

from fastsvm.fitting import Pipeline

from ...common.html_pages import render, write_page
from ...common.statistics import wilson_interval
from ..jobs.corpus_evaluation import CorpusEvaluation, ThresholdAdvice
from ..jobs.text_explanation import TextExplainer
from ..jobs.text_training import TextTraining
from ..measures.answer_scores import AnswerScores
from ..text_recipes import WEIGHTINGS
from . import report_sections
from .highlights import highlight
from .svg_charts import learning_curve_chart
from .top_words_output import shown_term
from .training_output import text_certificate

LABELS_WITH_WORDS = 24
MISTAKES = 12
LONGEST = 1_000_000  # characters of a text whose words are marked: each word of it takes memory


def write_training_report(
    path: str | os.PathLike[str], training: TextTraining, saved: str, corpus: str, command: str
) -> None:
    """Write the report on a training.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    training : TextTraining
        With or without held-out texts.
    saved : str
        The file of the model, or why there is none.
    corpus : str
        The name of the corpus.
    command : str
        The command line that repeats this training.
    """
    counts = [
        ("texts to train on", training.n_train),
        *([("texts for probabilities", kept)] if (kept := training.n_calibrate) else []),
        ("texts held out", training.n_test),
        ("labels", len(training.label_counts)),
        ("terms known", training.n_features),
    ]
    sections = _report_sections(training.tested, training.evaluation) if training.evaluation else NO_SECTIONS
    content = render(
        __package__,
        "training.html",
        title=f"Text classifier: {corpus}",
        kind="texts",
        corpus=corpus,
        origin=[saved, training.settings.classifier, f"fastsvm {version('fastsvm')}"],
        skipped=training.skipped.count,
        counts=counts,
        several=len(training.model.classes_) > 2,
        learning=_learning_curve_section(training),
        words=_top_words_section(training),
        certificate=_certificate_section(training),
        facts=_training_facts(training),
        command=re.split(" (?=--)", command),  # a line ends between options, not at their hyphens
        **sections,
    )
    write_page(path, content)


def write_evaluation_report(
    path: str | os.PathLike[str], result: CorpusEvaluation, corpus: str, advice: ThresholdAdvice | None = None
) -> None:
    """Write the report on an evaluation.

    Parameters
    ----------
    path : str or path-like
        The HTML file to write.
    result : CorpusEvaluation
    corpus : str
        The name of the corpus.
    advice : ThresholdAdvice, optional
        The threshold to recommend.
    """
    scores = result.evaluation
    content = render(
        __package__,
        "evaluation.html",
        title=f"{result.path} on {corpus}",
        kind="texts",
        model=result.path,
        corpus=corpus,
        origin=f"fastsvm {version('fastsvm')}",
        skipped=result.skipped.count,
        counts=[("texts", scores.n), ("labels", len(scores.labels)), ("mistakes", len(scores.mistakes))],
        several=len(scores.classes) > 2,
        second=result.paired,
        warnings=result.warnings,
        groups=result.groups,
        advice=advice,
        **_report_sections(result.model, scores),
    )
    write_page(path, content)


NO_SECTIONS: dict = dict.fromkeys(("accuracy", "curves", "calibration", "thresholds", "mistakes"))


def _report_sections(model: Pipeline, scores: AnswerScores) -> dict:
    """Return the sections that both reports have."""
    return {
        "accuracy": report_sections.accuracy_section(scores),
        "curves": report_sections.separation_curves(scores),
        "calibration": report_sections.calibration_section(scores),
        "thresholds": report_sections.threshold_section(scores),
        "mistakes": _mistakes_section(model, scores),
    }


def _learning_curve_section(training: TextTraining) -> dict:
    """Return the learning curve, and what the last texts gained; empty for a single point."""
    points, n = training.learning_curve, training.n_test
    if len(points) < 2:
        return {}
    metric = training.settings.metric.replace("-", " ")
    intervals = (
        [wilson_interval(round(point["accuracy"] * n), n) for point in points] if metric == "accuracy" else []
    )
    sizes, values = [point["n_train"] for point in points], [point["value"] for point in points]
    return {
        "title": f"{metric.capitalize()} by the number of training texts",
        "sizes": sizes,
        "gain": values[-1] - values[-2],
        "intervals": intervals,
        "chart": learning_curve_chart(sizes, values, intervals, metric),
    }


def _top_words_section(training: TextTraining) -> dict:
    """Return label, then word, length of its bar in percent and weight, of the most frequent labels."""
    sides = sorted(training.top_words, key=lambda side: -training.label_counts.get(side.label, 0))
    listed = [side for side in sides if side.words][:LABELS_WITH_WORDS]
    most = max((abs(item.weight) for side in listed for item in side.words), default=0.0)
    decimals = 3 if most < 10 else 2 if most < 100 else 1  # as wide as the column is
    form = f"{{:+.{decimals}f}}" if most < 1e4 else "{:+.2e}"
    rows = [
        (side.label, [(shown_term(word), 100 * abs(w) / most, form.format(w)) for word, w in side.words])
        for side in listed
    ]
    return {"sides": rows, "left": len(sides) - len(listed)}


def _mistakes_section(model: Pipeline, found: AnswerScores) -> dict:
    """Return the texts with a wrong label that the model was surest of, with their words marked."""
    wrong, explainer = found.mistakes, TextExplainer(model)
    listed = []
    for i in wrong[:MISTAKES]:
        source, predicted = found.texts[i], found.given[i]
        spans, note = [], "It is too long to mark its words."
        if len(source) <= LONGEST:
            spans = explainer.explain(source, predicted).spans
            note = "" if spans else "It has no word that the model knows."
        mistake = {"actual": found.truth[i], "predicted": predicted, "margin": found.margins[i]}
        listed.append({**mistake, "text": highlight(source, spans), "note": note})
    count = f"{len(listed):,} of {len(wrong):,}" if len(listed) < len(wrong) else f"All {len(wrong):,}"
    return {"listed": listed, "shown": "The only one" if len(wrong) == 1 else count}


def _certificate_section(training: TextTraining) -> dict:
    if training.relative_gap is None:
        return {"text": text_certificate(training).capitalize()}
    worst = int(np.argmax(training.relative_gap))
    objective, gap, relative = (
        float(np.atleast_1d(numbers)[worst])
        for numbers in (training.objective, training.gap, training.relative_gap)
    )
    label = str(training.model.classes_[worst]) if np.ndim(training.objective) > 0 else None
    numbers = {"objective": objective, "bound": objective - gap, "relative": relative}
    return {"text": "", "label": label, **numbers}


def _range_in_words(ends: tuple[int, int] | None) -> str:
    """Return how many in a row make a term."""
    if ends is None:
        return "none"
    shortest, longest = ends
    return f"{shortest} to {longest}" if shortest < longest else f"{longest}"


def _training_facts(training: TextTraining) -> list[tuple[str, object]]:
    steps = training.model.named_steps
    weighting = getattr(steps.get("weighting"), "weighting", "counts")
    classifier = steps["classifier"]
    loss = getattr(classifier, "loss", None)
    alpha = training.settings.alpha
    facts = {
        "Classifier": f"{type(classifier).__name__}{f', loss {loss}' if loss else ''}",
        "Regularisation alpha": "none" if alpha is None else f"{alpha:g}",
        "Words in a row": _range_in_words(training.settings.ngrams),
        "Characters in a row": _range_in_words(training.settings.chars),
        "Terms weighted by": WEIGHTINGS.get(weighting, weighting),
        "Terms kept": f"{training.n_features:,} of {training.n_features_seen:,}",
        "Epochs": f"{np.max(training.n_iter):,}",
        "Seed": training.settings.seed,
        "Versions": ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy")),
    }
    return list(facts.items())
