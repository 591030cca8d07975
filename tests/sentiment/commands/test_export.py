"""export: the same predictions from other files, by other programs."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline

import fastsvm
from fastsvm.text import BagOfWords, TermWeighting
from fastsvm_apps.sentiment.jobs.model_export import export_model, prune_model
from fastsvm_apps.sentiment.measures.term_effects import term_effect

LABELS = {2: ("neg", "pos"), 3: ("neg", "pos", "mixed")}
HOSTILE = ["", "xyzzy", "GREAT great İ great\u0301 \x00dull", "thing1  thing2\tthing1\u2028great"]

WEIGHTINGS = {
    "counts": (None, {}),
    "once": (None, {"binary": True, "ngram_range": (1, 2), "analyzer": "split"}),
    "tfidf": (TermWeighting("tfidf"), {"ngram_range": (1, 2)}),
    "log": (TermWeighting("tfidf", sublinear_tf=True, norm=None), {"stop_words": ["thing1", "thing2"]}),
    "binary": (TermWeighting("binary", norm="l2"), {"strip_accents": "unicode", "lowercase": False}),
    "nb": (TermWeighting("nb", sublinear_tf=True), {"ngram_range": (1, 2)}),
}


@pytest.fixture
def fitted(texts):
    def fitted(labels, weighting, **classifier):
        step, options = WEIGHTINGS[weighting]
        y, lines = zip(*texts(120, LABELS[labels]), strict=True)
        steps = [("vectorizer", BagOfWords(**options))]
        if step is not None:
            steps.append(("weighting", step))
        steps.append(("classifier", fastsvm.SDCAClassifier(**{"loss": "log", "alpha": 0.01} | classifier)))
        return Pipeline(steps).fit(lines, np.array(y))

    return fitted


def liblinear_rows(path, lines):
    """Compute the feature values of texts as the vocabulary file says."""
    notes, rows = {}, []
    for line in Path(path).read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("# "):
            key, _, value = line[2:].partition(": ")
            notes[key] = value
        else:
            rows.append(line.split("\t"))
    assert rows.pop(0) == ["feature", "term", "factor"]
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    names = {
        int(key.split()[1]): json.loads(value) for key, value in notes.items() if key.startswith("label")
    }
    how = json.loads(notes["terms"])
    vectorizer = CountVectorizer(
        lowercase=how["lowercase"],
        strip_accents=how["accents"],
        token_pattern=how["token_pattern"],
        stop_words=how["stop_words"] or None,
        ngram_range=tuple(how["ngrams"]),
        vocabulary=[term for _, term, _ in rows],
    )
    X = vectorizer.transform(lines).astype(float)
    value = notes["value of a feature"]
    if value.startswith("1 +"):
        X.data = 1 + np.log(X.data)
    elif value.startswith("1"):
        X.data[:] = 1
    X = X.toarray() * [float(factor) for _, _, factor in rows]
    if "times factor, each row then divided by its l2 norm" in value:
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        X = np.divide(X, lengths, out=X, where=lengths > 0)
    else:
        assert all(factor == "1.0" for _, _, factor in rows)
    return X, names


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize(
    "classifier", [{"loss": "log"}, {"loss": "hinge", "fit_intercept": False}, {"loss": "squared_hinge"}]
)
def test_liblinear_predicts_the_same(fitted, texts, tmp_path, labels, weighting, classifier):
    liblinear = pytest.importorskip("liblinear.liblinearutil", reason="needs liblinear-official")
    model = fitted(labels, weighting, **classifier)
    path = str(tmp_path / "m.model")
    assert [*export_model(model, path, "liblinear")[0]["bytes"]] == [path, f"{path}.vocabulary.tsv"]
    lines = [*HOSTILE, *(text for _, text in texts(40, LABELS[labels], seed=1))]
    X, names = liblinear_rows(f"{path}.vocabulary.tsv", lines)
    loaded = liblinear.load_model(path)
    rows = [{i + 1: x for i, x in enumerate(row) if x} for row in X.tolist()]
    found, _, scores = liblinear.predict([], rows, loaded, "-q")
    assert [names[number] for number in found] == model.predict(lines).tolist()
    decisions = model.decision_function(lines).reshape(len(lines), -1)
    order = [list(names.values()).index(names[number]) for number in loaded.get_labels()]
    scores = np.array(scores)[:, :1] if labels == 2 else np.array(scores)[:, np.argsort(order)]
    np.testing.assert_allclose(scores, decisions, rtol=1e-10, atol=1e-12)
    if classifier["loss"] == "log":
        _, _, probabilities = liblinear.predict([], rows, loaded, "-q -b 1")
        expected = model.predict_proba(lines)[:, order]
        np.testing.assert_allclose(probabilities, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_pruning_keeps_what_the_kept_terms_contribute(fitted, texts, labels, weighting):
    model = fitted(labels, weighting)
    weighting = term_effect(model)
    sizes = np.abs(model["classifier"].coef_).max(axis=0) * np.abs(weighting.factors)
    small = prune_model(model, 20)
    kept = np.isin(model["vectorizer"].get_feature_names_out(), small["vectorizer"].get_feature_names_out())
    assert kept.sum() == 20
    assert sizes[kept].min() >= sizes[~kept].max()
    least = np.sort(sizes)[-20]
    by_weight = prune_model(model, min_weight=least)["vectorizer"].get_feature_names_out()
    assert by_weight.tolist() == model["vectorizer"].get_feature_names_out()[sizes >= least].tolist()
    assert small["classifier"].coef_.shape == (1 if labels == 2 else 3, 20)

    # The same as the whole model where a text has no other term, or none has a weight.
    lines = [*HOSTILE, *(text for _, text in texts(40, LABELS[labels], seed=1))]
    if weighting.norm is None:
        model["classifier"].coef_[:, ~kept] = 0
    else:
        words = small["vectorizer"].get_feature_names_out()
        lines = ["", *(word for word in words if " " not in word)]
        if model["vectorizer"].ngram_range == (1, 2):
            lines = lines[:1]
    expected = model.decision_function(lines)
    np.testing.assert_allclose(small.decision_function(lines), expected, rtol=1e-12, atol=1e-14)


def test_a_pruned_model_is_a_model(run, model, texts):
    lines = "\n".join(text for _, text in texts(30, seed=1))
    result = run("export", model, "--to", "pruned", "--keep", 10, "-o", "small.safetensors", "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    record = json.loads(result.stdout)
    assert (record["n_terms"], record["n_terms_before"]) == (10, 70)
    assert record["bytes"] == {"small.safetensors": Path("small.safetensors").stat().st_size}
    assert len(fastsvm.load_model("small.safetensors")["vectorizer"].get_feature_names_out()) == 10
    # Everything is kept where more is asked for than there is, and a file of the same kind is replaced.
    assert run("export", model, "--to", "pruned", "--keep", 999, "-o", "small.safetensors").exit_code == 0
    small, whole = (run("predict", path, input=lines).stdout for path in ("small.safetensors", model))
    assert small == whole


def test_files_of_the_same_kind_are_replaced_and_no_others(run, model):
    for keep in (5, 6):
        result = run("export", model, "--to", "liblinear", "--keep", keep, "-o", "out")
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.startswith(f"{keep} of 70 terms\nout: ")
    assert sorted(path.name for path in Path().iterdir()) == ["out", "out.vocabulary.tsv"]
    Path("other.vocabulary.tsv").write_text("words")
    refused = run("export", model, "--to", "liblinear", "-o", "other")
    assert "other.vocabulary.tsv: is not a vocabulary" in refused.stderr
    assert not Path("other").exists()
