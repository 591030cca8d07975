"""The study of the article on sentiment: its experiments against slow ones, its verdicts, its pictures."""

import io

import numpy as np
import pytest
from PIL import Image
from scipy import sparse, stats

import reference
from fastsvm_apps.common.cache import Cache
from fastsvm_apps.studies.documents import sentiment_planes as planes
from fastsvm_apps.studies.documents import sentiment_texts as texts
from fastsvm_apps.studies.documents.sentiment import run as run_study
from fastsvm_apps.studies.report.charts import draw_figure
from fastsvm_apps.studies.report.study_record import record_study
from fastsvm_apps.studies.report.study_report import Context, Verdict


@pytest.fixture(autouse=True)
def few_frames(monkeypatch):
    monkeypatch.setattr(planes, "FRAMES", 6)


@pytest.fixture
def corpus(tmp_path):
    """A folder of texts of two labels; a word in each tells it, and others make the vocabulary grow."""
    path = tmp_path / "sentiment.txt"
    random = np.random.default_rng(0)
    lines = []
    for i in range(120):
        label = ("neg", "pos")[i % 2]
        told = ("bad", "good")[(i + (random.random() < 0.1)) % 2]
        words = " ".join(f"w{k}" for k in random.integers(60, size=7))
        lines.append(f"toys {label} {i}.txt {told} {words} own{i}\n")
    path.write_text("".join(lines))


def test_the_line_moves_as_by_the_articles_loop():
    X, y = planes.overlapping_points(3)
    steps = list(range(1, 60))
    models = planes.growing_models("hinge", X, y, steps, seed=5)
    drawn_rows = iter(np.random.default_rng(5).integers(len(y), size=steps[-1]))

    class Drawn:
        def choice(self, m, size):
            return [next(drawn_rows)]

    expected = reference.article_pegasos(X, y, steps[-1], planes.ALPHA, Drawn())
    *_, last = models
    np.testing.assert_allclose(last.coef_[0], expected, rtol=1e-9)


def test_a_kernels_surface_grows_row_by_row_to_that_of_the_fit():
    X, y = planes.moon_points((30, 20))
    steps = [1, 7, 30, planes.PASSES * len(y)]
    pulls = []
    for n_steps, model in zip(steps, planes.growing_models("", X, y, steps, seed=2), strict=True):
        counts = np.zeros(len(y))
        counts[model.support_] = np.abs(model.dual_coef_).ravel() * planes.ALPHA * n_steps
        pulls.append(counts)
    assert (np.diff(pulls, axis=0) > -1e-6).all()
    assert pulls[0].sum() == pytest.approx(1, rel=1e-5)
    fitted = planes.new_model("", steps[-1], seed=2).fit(X, y)
    np.testing.assert_array_equal(fitted.decision_function(X), model.decision_function(X))


def test_growth_counts_the_words_of_the_first_texts(monkeypatch):
    monkeypatch.setattr(texts, "ORDERS", 3)
    X = sparse.random_array((64, 90), density=0.03, random_state=0, format="csr", dtype=float)
    found = texts.grow(X, 4, lambda: None)
    assert found["sizes"].tolist() == [2, 4, 8, 16, 32, 64]
    random = np.random.default_rng(4)
    for columns in found["columns"]:
        place = random.permutation(64)
        first = X.toarray()[np.argsort(place)]
        expected = [int((first[:size] != 0).any(axis=0).sum()) for size in found["sizes"]]
        assert columns.tolist() == expected


def test_the_share_of_the_longer_is_an_area_under_a_curve():
    random = np.random.default_rng(0)
    one, other = random.integers(20, size=70), random.integers(17, size=50)
    share, half = texts.longer_share(one, other)
    statistic = stats.mannwhitneyu(one, other).statistic
    assert share == pytest.approx(statistic / (70 * 50))
    repeated = [texts.longer_share(random.choice(one, 70), random.choice(other, 50))[0] for _ in range(400)]
    assert half == pytest.approx(1.96 * np.std(repeated), rel=0.15)


@pytest.mark.slow
def test_the_whole_study(corpus, tmp_path):
    data = tmp_path / "flame.csv"
    X, y = planes.moon_points((40, 30))
    rows = (f"{a},{b},{1 if c > 0 else 2}\n" for (a, b), c in zip(X, y, strict=True))
    data.write_text("x,y,label\n" + "".join(rows))
    context = Context(data=str(tmp_path), runs=3, parts=Cache(tmp_path / "parts"))
    report = run_study(context)
    record = record_study("sentiment", report, {}, {})
    assert str(tmp_path) not in str(record)
    again = run_study(context)
    assert [claim.ours for claim in again.claims] == [claim.ours for claim in report.claims]
    pictures = {figure.name: figure for figure in report.figures}
    for name in ("lambda", "labels", "columns"):
        assert draw_figure(pictures[name])[:4] == b"\x89PNG"
    with Image.open(io.BytesIO(draw_figure(pictures["animation-flame"]))) as moving:
        assert moving.n_frames == len(np.unique(np.geomspace(1, 560, 6).round()))
        assert len(moving.getcolors(256)) > 4


def test_without_data_there_are_moons_and_generated_reviews():
    assert "reviews.txt" in texts.find_texts(None).path
    assert [plane.is_articles for plane in planes.planes(None)] == [False] * 4
    assert texts.find_texts("/nowhere") == "The folder of the data has no sentiment.txt."


@pytest.mark.slow
def test_the_articles_data(shared, monkeypatch):
    report = run_study(Context(data=str(shared), runs=5))
    verdicts = {claim.words: claim for claim in report.claims}
    for words in ("columns", "even", "lengths", "pegasos-svm", "pegasos-logistic"):
        assert verdicts[texts.CLAIMS[words][0]].verdict is Verdict.HELD, words
    tables = {table.name: table for table in report.tables}
    accuracy = {row[0]: row[2] for row in tables["classifiers"].rows}
    assert accuracy["pegasos-svm-literal"] == pytest.approx(0.79, abs=0.015)
    assert accuracy["pegasos-logistic-literal"] == pytest.approx(0.79, abs=0.015)
    assert 0.72 < accuracy["perceptron-literal"] < 0.81
    assert accuracy["default"] > 0.855
    plane = {row[0]: row[4] for row in tables["planes"].rows}
    assert plane["Kernel SVM, flame"] >= 0.98
    assert plane["Kernel SVM, jain"] == 1
