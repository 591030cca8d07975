"""train --recipe auto: what is tried, what is taken, and characters in all that is made of a model."""

import random
import re

import numpy as np
import pytest

import fastsvm
from fastsvm.text import TextScorer
from fastsvm_apps import sentiment
from fastsvm_apps.sentiment.data.text_labels import TextLabels
from fastsvm_apps.sentiment.jobs.text_explanation import TextExplainer
from fastsvm_apps.sentiment.learning.recipe_choice import SEARCHED, _best_recipe, choose_recipe
from fastsvm_apps.sentiment.measures.prediction import load_text_model
from fastsvm_apps.sentiment.settings import BY_DEFAULT, recipe_settings
from fastsvm_apps.sentiment.text_recipes import AUTO, HINGE_ALPHAS, is_unsegmented
from refusal import assert_refused

pytestmark = pytest.mark.blas

MIXED = ("neg", "pos", "mixed")
RNG = random.Random(0)
STEMS = ["walk", "talk", "jump", "look", "work", "play", "turn", "call", "help", "need", "cook", "paint"]


def inflected(n):
    """Texts whose labels are in the endings of words that hardly ever come twice."""
    return [
        (label, " ".join(f"{RNG.choice(STEMS)}{RNG.randrange(400)}{ending}" for _ in range(8)))
        for label, ending in [("past", "ed"), ("present", "ing")] * (n // 2)
    ]


@pytest.fixture
def train(trained):
    return lambda corpus, *args, **more: trained(corpus, "-o", "model.safetensors", *args, **more)


def test_the_recipe_with_the_smallest_error_is_taken(run, train, write, texts):
    corpus = write(texts(300, MIXED))
    record = train(corpus)
    choice = record["recipe_choice"]
    assert [each["name"] for each in choice["tried"]] == list(SEARCHED)
    assert (choice["n"], choice["chosen"]) == (240, record["recipe"])
    assert record["recipe"] == min(choice["tried"], key=lambda each: each["error"])["name"]
    printed = run("train", corpus, "-v", "-o", "model.safetensors").stdout
    found = re.search(r"\nRecipe\ntried on 240 .*: nb-words, .*\n.*\nchosen: (\S+) \(the smallest e", printed)
    assert found[1] == record["recipe"]


def test_characters_are_taken_where_they_are_better(train, write):
    record = train(write(inflected(300)))
    words, both = record["recipe_choice"]["tried"]  # tf-idf is not for two labels
    assert (record["recipe"], record["chars"]) == ("nb-both", "1-5")
    assert record["accuracy"] > 0.95
    assert both["error"] < words["error"] / 2


def test_the_usual_recipe_of_texts_so_long_is_taken_unless_another_is_surely_better():
    def taken(errors, length):
        return _best_recipe(errors, length)[0]

    errors = {"nb-words": np.tile([0.1, 0.3], 500), "nb-both": np.tile([0.097, 0.297], 500)}
    errors["nb-both"][::2] += np.tile([-0.05, 0.05], 250)  # better by 2.7 standard errors
    assert [taken(errors, length) for length in (100, 501)] == ["nb-both", "nb-both"]
    errors["nb-both"] += 0.001  # by 1.8
    assert [taken(errors, length) for length in (100, 501)] == ["nb-both", "nb-words"]
    errors = {"nb-words": errors["nb-both"], "nb-both": errors["nb-words"]}
    assert [taken(errors, length) for length in (100, 501)] == ["nb-both", "nb-words"]
    tfidf = errors | {"tfidf-both": errors["nb-words"] + 0.0007}  # by 1.1, and of tf-idf one is enough
    assert [taken(tfidf, length) for length in (100, 501)] == ["tfidf-both", "nb-words"]
    tfidf["tfidf-both"] += 0.0002  # by 0.98
    assert taken(tfidf, 100) == "nb-both"
    assert taken({"nb-signs": errors["nb-both"]}, 501) == "nb-signs"


def test_leads_near_the_one_needed_are_for_more_texts_to_tell_apart():
    usual = np.tile([0.1, 0.3], 500)
    swing = np.tile([-0.05, 0.05], 500)  # a standard error of 0.0016
    lead = {z: usual - swing - z * swing.std() / np.sqrt(1000) for z in (-1, 0.4, 0.6, 3.4, 3.6)}
    both = {"nb-both": usual}
    assert _best_recipe(both | {"nb-words": lead[0.4]}, 100) == ("nb-both", [])
    assert _best_recipe(both | {"nb-words": lead[0.6]}, 100) == ("nb-both", ["nb-both", "nb-words"])
    words = {"nb-words": lead[3.4], "tfidf-both": lead[-1]}
    assert _best_recipe(both | words, 100) == ("nb-words", ["nb-both", "nb-words"])
    tfidf = {"nb-words": lead[3.6], "tfidf-both": lead[0.4]}  # the best is tried again, too
    assert _best_recipe(both | tfidf, 100) == ("nb-words", ["nb-both", "nb-words", "tfidf-both"])


def test_many_labels_have_few_alphas_and_the_squared_hinge(train, write):
    def record(n_labels):
        pairs = [(f"l{i % n_labels}", f"w{i % n_labels} w{i % 7} {i} other") for i in range(420)]
        return train(write(pairs), "--holdout", 0)

    few, many = record(20), record(21)
    assert fastsvm.load_model("model.safetensors")["classifier"].loss == "squared_hinge"
    assert set(HINGE_ALPHAS) <= set(few["alpha_choice"]["alphas"])
    tried = many["alpha_choice"]["alphas"]
    assert {0.0048, 0.0012, 0.00029} <= set(tried)
    assert not set(tried) & set(HINGE_ALPHAS)
    assert many["recipe_choice"]["n"] == 420


def test_texts_without_blanks_are_cut_into_characters(run, train, write):
    good, bad, other = "好吃喜欢推荐", "难吃讨厌差劲", "房间早餐服务酒店前台价格我们他们今天"

    def text(signs):
        return "".join(RNG.choice(other) for _ in range(12)) + RNG.choice(signs) * 2 + RNG.choice(other)

    pairs = [("pos", text(good)) for _ in range(150)] + [("neg", text(bad)) for _ in range(150)]
    corpus = write(pairs)
    record = train(corpus)
    assert record["recipe_choice"]["unsegmented"]
    assert (record["ngrams"], record["chars"]) == ("none", "1-4")
    assert record["accuracy"] > 0.8
    assert "no blanks between words" in run("train", corpus, "-v", "-o", "model.safetensors").stdout
    found = TextExplainer(load_text_model("model.safetensors")).explain(f"房间{good[0]}早餐")
    assert max(found.spans, key=lambda span: span.contribution)[:2] == (2, 3)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["一个很好的酒店", "OK"], True),
        (["とても良いホテル"], True),
        (["ห้องพักดีมาก"], True),
        (["아주 좋은 호텔"], False),
        (["a hotel in 上海"], False),
        (["очень хорошо", ""], False),
        (["123 !?"], False),
        ([], False),
    ],
)
def test_scripts(texts, expected):
    assert is_unsegmented(texts) == expected


def test_what_is_given_comes_first(run, train, write):
    corpus = write(inflected(300))
    record = train(corpus, config={"chars": "2-4"})
    assert (record["recipe"], record["recipe_choice"]) == (None, None)
    assert (record["ngrams"], record["chars"], record["weighting"]) == ("1-3", "2-4", "nb")
    record = train(corpus, "--ngrams", "none", config={"chars": 3, "weighting": "tfidf"})
    assert (record["ngrams"], record["chars"], record["weighting"]) == ("none", "1-3", "tfidf")
    record = train(corpus, "--recipe", "tfidf-both", config={"chars": "none"})
    assert (record["ngrams"], record["chars"]) == ("1-2", "none")
    assert_refused(run("train", corpus, "--ngrams", "none"), 2, "leaves no features")


@pytest.mark.parametrize(("n", "n_labels"), [(99, 2), (299, 30)])
def test_of_too_few_texts_all_terms_count(n, n_labels):
    texts, y = [f"word{i} other" for i in range(n)], TextLabels.of(f"l{i % n_labels}" for i in range(n))
    settings, screening = choose_recipe(texts, y, BY_DEFAULT)
    assert (settings.recipe, settings.min_df, screening) == ("tfidf-both", 1, None)
    assert choose_recipe(texts, y, recipe_settings(AUTO, min_df=3))[0].min_df == 3


@pytest.mark.parametrize("recipe", ["nb-signs", "tfidf-both"])
def test_a_model_of_characters_does_all_that_others_do(run, train, write, recipe):
    corpus = write(inflected(300))
    record = train(corpus, "--recipe", recipe, "--report", "page.html")
    model = load_text_model("model.safetensors")
    texts = ["paint17ed, work18ed", "walk2ing", "xyz", "İed ﬁing", "ed\x1cing &amp; <b>ed</b>", "!", ""]
    for text in texts:
        found = TextExplainer(model).explain(text)
        total = found.intercept + sum(word.contribution for word in found.words)
        assert total == pytest.approx(found.score, abs=1e-5)
        assert sum(word.count for word in found.words) == model["vectorizer"].transform([text]).sum()
        spread = sum(span.contribution for span in found.spans)
        assert spread == pytest.approx(total - found.intercept, abs=1e-5)
        assert all(text[start:stop].strip() for start, stop, _ in found.spans)
    wanted = model.decision_function(texts)
    assert fastsvm.load_model("model.safetensors").decision_function(texts).tobytes() == wanted.tobytes()
    told = run("explain", "model.safetensors").stdout + run("explain", "model.safetensors", "work2ed").stdout
    assert ("…ed" if recipe == "tfidf-both" else "ed␣") in told
    assert "words__" not in told
    assert re.search(r"ed\[[+-]+\]", told)
    pruned = run("export", "model.safetensors", "--to", "pruned", "--keep", 40, "-o", "small.safetensors")
    assert pruned.exit_code == 0, pruned.stderr
    small = load_text_model("small.safetensors")
    assert len(small["vectorizer"].get_feature_names_out()) == 40
    assert np.sign(small.decision_function(texts[:2])).tolist() == np.sign(wanted[:2]).tolist()
    result = run("export", "model.safetensors", "--to", "liblinear", "-o", "model.out")
    assert_refused(result, 1, "counts characters")
    again = train(write(inflected(200), "tsv"), "--continue", "model.safetensors")
    assert (again["chars"], again["accuracy"] > 0.8) == (record["chars"], True)
    with open("page.html", encoding="utf-8") as page:
        assert ">chars<" in page.read()


GERMAN = """Das war ein schrecklicher Film
Der Film hat mir sehr gut gefallen, die Schauspieler waren großartig und die Musik auch
"""


def test_texts_of_another_language_are_said_to_be(run, write):
    result = run("predict", "english", "-", input=GERMAN.encode())
    assert (result.exit_code, result.stdout.count("\n")) == (0, 2)
    few = "the model knows few words in 2 of 2 texts (another language or subject?)"
    assert result.stderr == f"warning: {few}: their labels are guesses\n"
    strict = run("predict", "english", "-", "--strict", input=GERMAN.encode())
    assert_refused(strict, 1, re.escape(few))
    texts = "a good film, and I would see it again\nnot worth the money at all\nDas war ein Film\n"
    assert run("predict", "english", "-", input=texts.encode()).stderr == ""


def test_the_blank_around_unknown_characters_is_no_known_term(run, train, write):
    train(write(inflected(200)), "--recipe", "nb-both")
    lines = run("predict", "model.safetensors", input="walk\n\u4f60\u597d\n".encode()).stdout.splitlines()
    assert [line.count("no known term") for line in lines] == [0, 1]


def test_where_no_term_is_frequent_enough_that_is_said(run, write, texts):
    """Of more training texts than the first look takes."""
    done = run("train", write(texts(1300)), config={"min_df": 5000})
    assert_refused(done, 1, "no term occurs in 5000 texts or more; try min-df = 1 in --config")


@pytest.mark.parametrize("options", [(), ("--alpha", 0.001, "--class-weight", "balanced")])
def test_a_model_of_three_labels_has_ratios_for_each(run, trained, write, texts, options):
    corpus, model = write(texts(240, MIXED)), "m.safetensors"
    trained(corpus, "--recipe", "nb-words", "-o", model, *options)
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
        (("export", model, "--to", "liblinear", "-o", "x"), "a length of its own; train one with --recipe"),
        (("train", corpus, "--continue", model, "-o", "x"), "different lengths cannot be trained further"),
    ):
        assert_refused(run(*refused), 1, reason)
