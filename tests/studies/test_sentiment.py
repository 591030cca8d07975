"""The study of the article on sentiment: its classifiers to the letter, and what its page promises."""

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

import reference
from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.documents import sentiment as study
from fastsvm_apps.studies.report.study import read_runs
from fastsvm_apps.studies.report.verdicts import judge_all

VECTORIZERS = {False: CountVectorizer, True: TfidfVectorizer}


@pytest.mark.parametrize("name", study.CLASSIFIERS)
def test_a_classifier_is_the_articles_loop(name):
    X, y, train, _ = study.points_of("svm", None, 3)
    X, y = X[train[:60]] - 1, y[train[:60]]
    expected = study.article_weights(name, X, y, np.random.RandomState(5))
    model, random = study.CLASSIFIERS[name](), np.random.RandomState(5)
    if name != "perceptron":
        rows = [random.choice(60, 1)[0] for _ in range(10 * 60)]
        model.set_params(order=np.reshape(rows, (10, 60)))
    np.testing.assert_allclose(model.fit(X, y).coef_[0], expected, rtol=1e-9)
    if name == "Pegasos SVM":
        theirs = reference.article_pegasos(X, y, 600, study.ALPHAS[name], np.random.RandomState(5))
        np.testing.assert_allclose(expected, theirs, rtol=1e-9)


@pytest.mark.parametrize("tfidf", VECTORIZERS)
def test_the_best_words_are_those_of_scikit_learn(tfidf, monkeypatch):
    monkeypatch.setattr(study, "N_WORDS", 300)
    texts, y, _ = study.read_texts(None)
    vectorizer = VECTORIZERS[tfidf](tokenizer=str.split, token_pattern=None, lowercase=False)
    theirs = make_pipeline(vectorizer, SelectKBest(k=300)).fit(texts[:400], y[:400])
    best = study.BestWords(texts[:400], y[:400], tfidf)
    assert best.words.tolist() == theirs[:1].get_feature_names_out()[theirs[1].get_support()].tolist()
    for ours, some in (best.X, texts[:400]), (best.of(texts[400:]), texts[400:]):
        np.testing.assert_allclose(ours.toarray(), theirs.transform(some).toarray(), rtol=1e-5, atol=1e-7)


def test_a_curve_grows_to_that_of_the_fit():
    X, y, train, _ = study.points_of("flame", None, 0)
    steps = [1, 30, study.PASSES * len(train)]
    *_, last = study.growing_models(study.PLANES["flame"], X[train], y[train], steps, seed=2)
    fitted = study.new_model(study.PLANES["flame"], 2).fit(X[train], y[train])
    np.testing.assert_array_equal(last.decision_function(X), fitted.decision_function(X))


@pytest.mark.slow
def test_what_the_page_promises(shared, tmp_path):
    done = CliRunner().invoke(main, ["sentiment", "--data", str(shared), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0
    measured, _ = read_runs(tmp_path / "out" / "runs.csv", "sentiment")
    judged = judge_all("sentiment", study.findings(measured).found, measured.originals)
    others = {claim["name"] for claim in judged if claim["verdict"] != "held"}
    assert others == {"svm-accuracy", "logistic-accuracy", "alike", "times"}
    accuracy = {name: 1 - study.of_texts(measured.runs, name).mean() for name in study.NAMES}
    for name in study.ALPHAS:
        assert accuracy[name] == pytest.approx(0.79, abs=0.015)
    assert accuracy[study.DEFAULT] > 0.855
    for path in (tmp_path / "out").glob("animation-*.gif"):
        assert path.stat().st_size <= 80_000
        with Image.open(path) as moving:
            assert 10 < moving.n_frames <= 20
