"""The report on a training: an HTML page."""

import os
from importlib.metadata import version

import numpy as np

from ...common.printing import many
from ...common.sections import Fact, Figure, Line, Section, Table, write_sections_page
from ...common.statistics import wilson_interval
from ..jobs.text_training import TextTraining
from ..text_recipes import WEIGHTINGS
from .answer_sections import answer_sections, mistakes_section
from .svg_charts import learning_curve_chart
from .top_words_output import top_words_section
from .training_output import text_certificate

LABELS_WITH_WORDS = 24
ABOUT_CERTIFICATE = (
    "Training looks for the weights with the lowest objective: the mean loss on the training texts, plus a "
    "penalty on large weights."
)
UNTESTED = (
    "No text was held out: the model was trained on every text (--holdout 0). To measure the model on other "
    "labelled texts, run fastsvm-sentiment evaluate."
)


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
    counts = {
        "texts to train on": training.n_train,
        **({"texts for probabilities": kept} if (kept := training.n_calibrate) else {}),
        "texts held out": training.n_test,
        "labels": len(training.label_counts),
        "terms known": training.n_features,
    }
    skipped, scores = training.skipped.count, training.evaluation
    head = Section(
        about=[("", saved, f" · {training.settings.classifier} · fastsvm {version('fastsvm')}")],
        facts=[Fact(name, f"{n:,}") for name, n in counts.items()],
        lines=[
            *[f"{many(skipped, 'record')} of the corpus skipped."] * bool(skipped),
            *(f"{warning}." for warning in (scores.warnings if scores else ())),
        ],
    )
    sections = [
        *(answer_sections(scores) if scores else [Section(title="Accuracy", lines=[UNTESTED])]),
        *_learning_curve_sections(training),
        _top_words_section(training),
        *([mistakes_section(training.tested, scores)] if scores else []),
        _certificate_section(training),
        _reproduction_section(training, command),
    ]
    write_sections_page(path, ("Text classifier: ", corpus), head, sections)


def _learning_curve_sections(training: TextTraining) -> list[Section]:
    """Return the learning curve, and what the last texts gained; nothing for a single point."""
    points, n = training.learning_curve, training.n_test
    if len(points) < 2:
        return []
    metric = training.settings.metric.replace("-", " ")
    intervals = [wilson_interval(round(p["accuracy"] * n), n) for p in points] if metric == "accuracy" else []
    sizes, values = [p["n_train"] for p in points], [p["value"] for p in points]
    gain = f"From {sizes[-2]:,} to {sizes[-1]:,} training texts, the gain was {values[-1] - values[-2]:+.4f}."
    about = [
        f"{gain} If the curve still rises at its end, more texts would help further.",
        *["Lines at the dots: 95 % intervals."] * bool(intervals),
    ]
    table = Table(
        ("training texts", metric), [(f"{n:,}", f"{v:.4f}") for n, v in zip(sizes, values, strict=True)], ()
    )
    caption = f"{metric.capitalize()} by the number of training texts"

    def draw() -> list[Figure]:
        return [Figure(caption, [learning_curve_chart(sizes, values, intervals, metric)])]

    return [Section(title="Learning curve", about=about, tables=[table], figures=draw)]


def _top_words_section(training: TextTraining) -> Section:
    """Return the words of the most frequent labels."""
    words, counts = training.top_words, training.label_counts
    labels = sorted((label for label, rows in words.items() if rows), key=lambda label: -counts.get(label, 0))
    if not labels:
        return Section(title="Top words", lines=["None: no word has a weight."])
    return top_words_section(words, "Top words", labels[:LABELS_WITH_WORDS])


def _certificate_section(training: TextTraining) -> Section:
    title = "Certificate"
    if training.relative_gap is None:
        return Section(title=title, lines=[f"{text_certificate(training).capitalize()}."])
    worst = int(np.argmax(training.relative_gap))
    objective, gap, relative = (
        float(np.atleast_1d(numbers)[worst])
        for numbers in (training.objective, training.gap, training.relative_gap)
    )
    about: list[Line] = [ABOUT_CERTIFICATE]
    if np.ndim(training.objective):
        label, most = str(training.model.classes_[worst]), ", where the distance is largest."
        about.append(("There is one such search for each label; these are the numbers of ", label, most))
    about.append("This is about the training texts. The held-out texts show how the model does on others.")
    bound = "and a bound that was computed along with it proves that no weights reach less than"
    lines = [
        f"It ended at {objective:.6g}, {bound} {objective - gap:.6g}.",
        f"So no other solver could lower the objective by more than {100 * relative:.2g} %.",
        *["More epochs, or a larger alpha, would bring it nearer."] * (relative > 0.01),
    ]
    return Section(title=title, about=about, lines=lines)


def _reproduction_section(training: TextTraining, command: str) -> Section:
    about = ["The same corpus, versions and options give the same model."]
    table = Table(("setting", "value"), _training_facts(training), words=(0, 1))
    return Section(title="Reproduction", about=about, command=command, tables=[table])


def _range_in_words(ends: tuple[int, int] | None) -> str:
    """Return how many in a row make a term."""
    if ends is None:
        return "none"
    shortest, longest = ends
    return f"{shortest} to {longest}" if shortest < longest else f"{longest}"


def _training_facts(training: TextTraining) -> list[tuple[str, str]]:
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
        "Seed": f"{training.settings.seed}",
        "Versions": ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy")),
    }
    return list(facts.items())
