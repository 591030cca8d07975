"""Three labels, each with ratios of its own: what commands do with such a model."""

import numpy as np
import pytest

import fastsvm
from fastsvm.text import TextScorer
from fastsvm_apps import sentiment

MIXED = ("neg", "pos", "mixed")


@pytest.mark.parametrize("options", [(), ("--alpha", 0.001, "--class-weight", "balanced")])
def test_model_of_own_ratios(run, write, texts, options):
    corpus, model = write(texts(240, MIXED)), "m.safetensors"
    result = run("train", corpus, "--recipe", "nb-words", "-o", model, *options)
    assert result.exit_code == 0, result.stderr
    lines = [text for _, text in texts(40, MIXED, seed=1)] + ["", "xyzzy"]
    assert run("export", model, "--to", "pruned", "--keep", 30, "-o", "small.safetensors").exit_code == 0
    for path in (model, "small.safetensors"):
        loaded = sentiment.load(path)
        classifier = loaded.pipeline["classifier"]
        there = loaded.pipeline["vectorizer"].transform(lines).toarray() > 0
        norms = np.sqrt(there @ classifier.squares_.T.astype(float))
        expected = there @ classifier.coef_.T.astype(float) / np.where(norms > 0, norms, 1)
        found = loaded.decision_function(lines)
        np.testing.assert_allclose(found, expected, atol=1e-5)
        assert np.array_equal(found, TextScorer.load(path).decision_function(lines))
        assert np.array_equal(found, fastsvm.load_model(path).decision_function(lines))
        for k, label in enumerate(loaded.classes_):
            part = loaded.explain(lines[0], label)
            total = sum(word.contribution for word in part.words)
            np.testing.assert_allclose([total, part.score], found[0, k], atol=1e-5)
    for refused, reason in (
        (("export", model, "--to", "liblinear", "-o", "x"), "a length of its own; train one --recipe"),
        (("train", corpus, "--continue", model, "-o", "x"), "a length of its own: it cannot learn on"),
    ):
        result = run(*refused)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
        assert reason in result.stderr
