"""How a model was made: its certificate, and the command that makes it again."""

from __future__ import annotations

import re
from importlib.metadata import version

import numpy as np

from ...common.html import bdi, text
from ..model.training import Training
from .highlights import shorten
from .tables import certificate

WORDS_OF_WEIGHTINGS = {
    "counts": "how often the text has them",
    "binary": "whether the text has them",
    "tfidf": "tf-idf: how often the text has them, the more the rarer they are",
    "nb": "naive Bayes: how much more often texts of a label have them",
}


def certificate_section(training: Training) -> str:
    """Return what is proven of the training."""
    if training.relative_gap is None:
        return f"<p>{text(certificate(training).capitalize())}.</p>"
    worst = int(np.argmax(training.relative_gap))
    objective, gap, relative = (
        float(np.atleast_1d(numbers)[worst])
        for numbers in (training.objective, training.gap, training.relative_gap)
    )
    which = ""
    if np.ndim(training.objective):
        which = (
            f" There is one such search for each label; these are the numbers of "
            f"{bdi(shorten(str(training.fitted.classes_[worst])))}, where the distance is largest."
        )
    advice = " More epochs, or a larger alpha, would bring it nearer." if relative > 0.01 else ""
    return f"""<p>Training looks for the weights with the lowest objective: the mean loss on the training
texts, and a penalty on large weights.{which} It ended at <strong>{objective:.6g}</strong>, and a bound
that was computed along with it proves that no weights at all reach less than {objective - gap:.6g}.
So whatever else might be tried, at most <strong>{100 * relative:.2g} %</strong> of the objective
could still be gained.{advice}</p>
<p>This is about the training texts. How the model does on others is a matter of the held-out texts.</p>"""


def again_section(training: Training, command: str) -> str:
    """Return what a model of the same weights takes."""
    steps = training.fitted.named_steps
    shortest, longest = getattr(steps["vectorizer"], "ngram_range", (1, 1))
    length = f"{shortest} to {longest}" if shortest < longest else f"{longest}"
    weighting = getattr(steps.get("weighting"), "weighting", "counts")
    classifier = steps["classifier"]
    loss = getattr(classifier, "loss", None)
    alpha = training.settings.alpha
    rows = [
        ("Classifier", f"{type(classifier).__name__}{f', loss {loss}' if loss else ''}"),
        (
            "Regularisation alpha",
            "none" if alpha is None else f"{alpha:g}",
        ),
        ("Words in a row", length),
        ("Terms weighted by", WORDS_OF_WEIGHTINGS.get(weighting, weighting)),
        ("Terms kept", f"{training.n_features:,} of {training.n_features_seen:,}"),
        ("Epochs", f"{np.max(training.n_iter):,}"),
        ("Seed", training.settings.seed),
        ("Versions", ", ".join(f"{name} {version(name)}" for name in ("fastsvm", "numpy", "scipy"))),
    ]
    table = "\n".join(f'<tr><th scope="row">{name}</th><td>{text(value)}</td></tr>' for name, value in rows)
    # A line ends between options, not at their hyphens.
    parts = " ".join(f"<span>{text(part)}</span>" for part in re.split(" (?=--)", command))
    return f"""<p>The same corpus, versions and options give the same model:</p>
<pre><code>{parts}</code></pre>
<table>
<tbody>
{table}
</tbody>
</table>"""
