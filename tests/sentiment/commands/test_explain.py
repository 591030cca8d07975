"""explain: the parts of a score, and where in the text they are."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import Pipeline

import fastsvm
from fastsvm.text import BagOfWords, TermWeighting
from fastsvm_apps.sentiment.jobs.text_explanation import TextExplainer
from refusal import assert_refused

TEXTS = [
    "Great, great thing: I would buy this great thing again!",
    "A waste of money. It broke, it broke again",
    "mediocre thing, it is a fair thing",
    "sturdy and bright and a waste of paper",
]
HARD = (
    "İt BROKE\N{COMBINING ACUTE ACCENT} again — Straße ﬁne ΟΔΟΣ caf\u00e9, xyzzy great\r\nthing\x00 waste of"
)


def fitted(labels=2, weighting=None, **options):
    texts, y = [*TEXTS, "it again fine café straße οδος"], ["neg", "pos", "mixed", "pos", "neg"]
    y = [label if labels == 3 or label != "mixed" else "neg" for label in y]
    steps = [("vectorizer", BagOfWords(**options))]
    if weighting is not None:
        steps.append(("weighting", weighting))
    return Pipeline([*steps, ("classifier", fastsvm.SDCAClassifier(loss="log", alpha=0.01))]).fit(texts, y)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    ("weighting", "options"),
    [
        (None, {}),
        (None, {"ngram_range": (1, 2), "token_pattern": r"\S+"}),
        (None, {"binary": True, "ngram_range": (2, 3), "stop_words": "english"}),
        (TermWeighting(sublinear_tf=True), {"ngram_range": (1, 2)}),
        (TermWeighting("nb"), {"analyzer": "split"}),
        (None, {"strip_accents": "unicode", "token_pattern": r"(\w)\w*"}),
    ],
)
@pytest.mark.parametrize("text", [*TEXTS, HARD, "", "nothing known"])
def test_contributions_add_up(labels, weighting, options, text):
    model = fitted(labels, weighting, **options)
    decision = model.decision_function([text])[0]
    scores = dict(zip(model.classes_, [-decision, decision] if labels == 2 else decision, strict=True))
    given = model.predict([text])[0]
    for asked in (*model.classes_, None):
        found, side = TextExplainer(model).explain(text, asked), asked or ("pos" if labels == 2 else given)
        assert (found.label, found.side, found.score) == (given, side, scores[side])
        for parts in (found.words, found.spans):
            total = sum(part[-1] for part in parts) + found.intercept
            np.testing.assert_allclose(total, found.score, rtol=1e-12, atol=1e-12)
    sizes = [abs(share) for *_, share in found.words]
    assert sizes == sorted(sizes, reverse=True)
    counts = model["vectorizer"].transform([text])
    present = model["vectorizer"].get_feature_names_out()[counts.indices]
    assert sorted(term for term, *_ in found.words) == sorted(present)
    if not model["vectorizer"].binary:
        assert sum(count for _, count, _ in found.words) == counts.sum()


def known(model):
    """Set every weight so that it tells its term, and return the terms' weights."""
    weights = {term: 1.0 + i for i, term in enumerate(model["vectorizer"].get_feature_names_out())}
    model["classifier"].coef_[0] = list(weights.values())
    return weights


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("weighting", [None, TermWeighting("nb"), TermWeighting()])
def test_a_kernel_machine_says_what_the_score_loses(labels, weighting):
    """Each contribution is that of a text without the term, the intercept the score of none."""
    linear = fitted(labels, weighting, ngram_range=(1, 2))
    y = linear.predict([*TEXTS, "fine"])
    kernel = fastsvm.KernelSDCAClassifier(alpha=0.01, gamma=0.5, random_state=0)
    kernel.fit(linear[:-1].transform([*TEXTS, "fine"]), y)
    model = Pipeline([*linear.steps[:-1], ("classifier", kernel)])
    found = TextExplainer(model).explain(TEXTS[1])
    classes = model.classes_.tolist()
    sign = 1 if labels == 3 or found.side == classes[1] else -1

    def score(counts):
        counts = sparse.csr_array(counts)
        row = counts if weighting is None else model["weighting"].transform(counts)
        decision = np.ravel(kernel.decision_function(row))
        return sign * decision[classes.index(found.side) if len(decision) > 1 else 0]

    counts = model["vectorizer"].transform([TEXTS[1]]).toarray()
    assert (found.score, found.intercept) == pytest.approx((score(counts), score(0 * counts)), abs=1e-6)
    assert len(found.words) == np.count_nonzero(counts)
    for term, _, share in found.words:
        without = counts.copy()
        without[0, model["vectorizer"].vocabulary_[term]] = 0
        assert share == pytest.approx(found.score - score(without), abs=1e-6)
    total = sum(share for *_, share in found.words)
    assert found.score == pytest.approx(total + found.intercept + found.together, abs=1e-6)


def test_a_kernel_machine_has_no_weights(run, write, texts):
    corpus = write(texts(60))
    options = ("--classifier", "kernel-sdca", "--recipe", "nb-words", "--report", "page.html", "-v")
    result = run("train", corpus, "-o", "m.safetensors", *options)
    assert result.exit_code == 0
    assert "Top words\nnone: a kernel machine has no weights of words" in result.stdout
    assert "(terms together)" in run("explain", "m.safetensors", texts(60)[0][1]).stdout
    for line in "explain M", "export M -o x --to pruned --keep 5", "train CORPUS --continue M":
        words = [{"M": "m.safetensors", "CORPUS": corpus}.get(word, word) for word in line.split()]
        assert_refused(run(*words), 1, "needs a weight for each word, which a kernel machine does not have")
    streamed = run("train", corpus, "--stream", "--classifier", "kernel-sdca")
    assert_refused(streamed, 2, "--stream does not support kernel-sdca; give --classifier sdca-svm")


def test_spans_share_what_their_terms_contribute():
    model = fitted(ngram_range=(1, 2))
    weights = known(model)
    text = "GREAT unheard-of great thing"
    found = TextExplainer(model).explain(text)
    spans = {text[start:stop] + str(start): share for start, stop, share in found.spans}
    assert spans == pytest.approx(
        {
            "GREAT0": weights["great"],
            "of14": weights["of"],  # "unheard" and "unheard of" are not known
            "great17": weights["great"] + weights["great thing"] / 2,
            "thing23": weights["thing"] + weights["great thing"] / 2,
        }
    )


def test_unknown_words_are_listed():
    found = TextExplainer(fitted()).explain("Never heard: great THINGAMAJIG, never")
    assert found.unknown == ["never", "heard", "thingamajig", "never"]
    assert (found.n_words, [term for term, *_ in found.words]) == (5, ["great"])


def test_spans_lie_on_the_words_of_the_original():
    model = fitted(strip_accents="unicode")
    spans = [HARD[start:stop] for start, stop, _ in TextExplainer(model).explain(HARD).spans]
    # The dot of İ is a character of its own in lower case, and falls away with the accents.
    assert spans == ["İt", "BROKE", "again", "Straße", "ﬁne", "ΟΔΟΣ", "café", "great", "thing", "waste", "of"]


TEXT = "Great thing1 xyzzy,\nawful \x1b[2J great"


def test_explain_json_and_number(run, model):
    found = TextExplainer(fastsvm.load_model(model)).explain(TEXT)
    record = json.loads(run("explain", model, "-", "-n", 1, "--json", input=f"{TEXT}\n").stdout)
    assert record["terms"] == [found.words[0]._asdict()]
    assert record["other_terms"]["n"] == len(found.words) - 1
    total = record["terms"][0]["contribution"] + record["other_terms"]["contribution"] + record["intercept"]
    assert total == pytest.approx(record["score"])
    assert record["spans"] == [span._asdict() for span in found.spans]
    assert (record["label"], record["side"], record["n_words"]) == (found.label, "pos", 6)
    assert record["unknown"] == found.unknown


def test_explain_another_label(run, model3):
    record = json.loads(run("explain", model3, TEXT, "--label", "mixed", "--json").stdout)
    assert record["side"] == "mixed"


def test_undecodable_bytes_are_replaced(run, model):
    result = run("explain", model, "-", input=b"\xef\xbb\xbfgreat caf\xe9")
    assert (result.exit_code, result.stderr) == (0, "<stdin>: bytes that are not UTF-8 were replaced\n")
    assert result.stdout.startswith("pos")
