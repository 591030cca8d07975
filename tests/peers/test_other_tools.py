"""Tools for scikit-learn's models take ours."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale

import fastsvm
from fastsvm import drop_in
from fastsvm.text import BagOfWords, HashedBagOfWords, SelectTerms, TermWeighting

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

TEXTS = 5 * ["a good book", "a bad pen", "good pens", "bad books", "not bad"]


def needs(name):
    return pytest.importorskip(name, reason=f"{name} is missing: pip install 'fastsvm[tools]'")


def sdca(loss="log", **parameters):
    return fastsvm.SDCAClassifier(loss, **{"alpha": 1e-2, "random_state": 0, **parameters})


@pytest.fixture
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def name_of(estimator):
    return f"{type(estimator).__module__}.{type(estimator).__name__}"


@pytest.mark.parametrize(
    "model",
    [
        *(sdca(), fastsvm.SDCAClassifierCV(random_state=0), fastsvm.ASDCAClassifier(random_state=0)),
        *(fastsvm.PegasosClassifier(random_state=0), fastsvm.PerceptronClassifier(random_state=0)),
        *(fastsvm.KernelSDCAClassifier(random_state=0), fastsvm.KernelPegasosClassifier(random_state=0)),
        *(drop_in.LinearSVC(), drop_in.LogisticRegression(), drop_in.SGDClassifier(), drop_in.SVC()),
        make_pipeline(fastsvm.KernelFeatures(n_components=20, random_state=0), sdca()),
        make_pipeline(BagOfWords(ngram_range=(1, 2)), SelectTerms(5), TermWeighting("nb"), sdca()),
        make_pipeline(HashedBagOfWords(n_features=2**10), sdca()),
        make_pipeline(drop_in.TfidfVectorizer(), drop_in.LinearSVC()),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_skops_has_only_the_estimators_to_trust(model, n_classes):
    io = needs("skops.io")
    parts = [part for _, part in getattr(model, "steps", [("", model)])]
    X, y = load_iris(return_X_y=True)
    if hasattr(parts[0], "analyzer"):
        X, y = TEXTS, np.array(5 * [0, 1, 0, 1, 2])
    stored = io.dumps(model.fit(X, y % n_classes))
    names = io.get_untrusted_types(data=stored)
    assert set(names) == {name_of(part) for part in parts}
    loaded = io.loads(stored, trusted=names)
    assert (loaded.decision_function(X) == model.decision_function(X)).all()
    if isinstance(parts[0], BagOfWords):
        assert loaded[0].vocabulary_ == parts[0].vocabulary_


def test_shap_explains_scores(cancer):
    shap = needs("shap")
    X, y = cancer
    model = sdca().fit(X, y)
    explainer = shap.Explainer(model, X)
    assert isinstance(explainer, shap.explainers.Linear)
    found = explainer(X)
    scores = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-10, atol=1e-10)
    spread = found.values - found.values.mean(axis=0)
    np.testing.assert_allclose(spread, (X - X.mean(axis=0)) * model.coef_, rtol=1e-10, atol=1e-10)


def test_imbalanced_learn_makes_rows_for_a_fit(cancer):
    needs("imblearn")
    from imblearn.over_sampling import SMOTE
    from imblearn.pipeline import make_pipeline

    X, y = (part[250:] for part in cancer)
    model = make_pipeline(SMOTE(random_state=0), sdca()).fit(X, y)
    more, labels = SMOTE(random_state=0).fit_resample(X, y)
    assert len(more) > len(X)
    np.testing.assert_array_equal(model[-1].coef_, sdca().fit(more, labels).coef_)
    assert (model.predict(X) == model[-1].predict(X)).all()


def test_mlflow_logs_and_loads(cancer, tmp_path, monkeypatch):
    mlflow = needs("mlflow")
    needs("mlflow.sklearn")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # databases need all of mlflow
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"file:{tmp_path / 'runs'}")
    X, y = cancer
    model = sdca().fit(X, y)
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", skops_trusted_types=[name_of(model)])
    loaded = mlflow.sklearn.load_model(logged.model_uri)
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert loaded.history_["gap"][-1] == model.dual_gap_
    served = mlflow.pyfunc.load_model(logged.model_uri)
    assert (served.predict(X) == model.predict(X)).all()
