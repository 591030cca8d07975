"""The conversion to ONNX, by skl2onnx with the classes of fastsvm registered."""

import skl2onnx
from skl2onnx._supported_operators import sklearn_operator_name_map
from skl2onnx.common.data_types import StringTensorType
from skl2onnx.common.exceptions import MissingShapeCalculator
from sklearn.base import is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .. import drop_in
from ..estimators.bag_of_words import BagOfWords
from ..estimators.kernel_cv import KernelSDCAClassifierCV
from ..estimators.kernel_features import KernelFeatures
from ..estimators.kernel_pegasos import KernelPegasosClassifier
from ..estimators.kernel_sdca import KernelSDCAClassifier
from ..estimators.linear import ASDCAClassifier, SDCAClassifier
from ..estimators.linear_cv import SDCAClassifierCV
from ..estimators.online import PegasosClassifier, PerceptronClassifier
from ..estimators.select_terms import SelectTerms
from ..estimators.term_weighting import TermWeighting
from . import classifiers, kernels, texts
from .graph import Graph, float_type

CLASSIFIERS = (
    *(SDCAClassifier, SDCAClassifierCV, ASDCAClassifier, PegasosClassifier, PerceptronClassifier),
    *(KernelSDCAClassifier, KernelSDCAClassifierCV, KernelPegasosClassifier),
    *(drop_in.LinearSVC, drop_in.Perceptron),
)
# They have the attributes of scikit-learn's classes, and use its nodes.
AS_IN_SCIKIT_LEARN = (
    *(drop_in.LogisticRegression, drop_in.LogisticRegressionCV, drop_in.SGDClassifier, drop_in.SVC),
)
TRANSFORMERS = {
    BagOfWords: texts.counts,
    drop_in.CountVectorizer: texts.counts,
    drop_in.TfidfVectorizer: texts.tfidf,
    drop_in.TfidfTransformer: texts.tfidf,
    TermWeighting: texts.weighed,
    SelectTerms: texts.selected,
    drop_in.SelectKBest: texts.selected,
    KernelFeatures: kernels.features,
    drop_in.Nystroem: kernels.nystroem_features,
}
BAGS = (BagOfWords, drop_in.CountVectorizer, drop_in.TfidfVectorizer)


def to_onnx(model, X=None, **options):
    """Convert a fitted estimator or pipeline to ONNX.

    Parameters
    ----------
    model : estimator or Pipeline
        A class of fastsvm or `fastsvm.drop_in`, or a class of scikit-learn that skl2onnx supports.
    X : array, DataFrame or list of str
        Rows or texts like the inputs of the graph, which has their type. Use float32, or float64 for results
        as precise as fastsvm's own.
    **options
        Options of ``skl2onnx.to_onnx``.

    Returns
    -------
    onnx.ModelProto
        The graph. Its input is X, or one input for each column of a DataFrame. A classifier's outputs are
        "label" and "probabilities" or, if the model has no `predict_proba`, "scores", both with a column for
        each class; with two classes, the scores are minus and plus what `decision_function` returns.

    Raises
    ------
    NotImplementedError
        If ONNX has no nodes that compute the same as a part of the model.

    Notes
    -----
    onnxruntime's own operators cut and count texts, as dense arrays. They lower-case by a locale of the
    system, by default "C.UTF-8"; if the system lacks it, pass another, as in ``options={BagOfWords:
    {"locale": "en-US"}}``.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_digits
    >>> from fastsvm import SDCAClassifier
    >>> from fastsvm.onnx import to_onnx
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X.astype("float32")
    >>> model = SDCAClassifier("log", alpha=0.01, random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(model, X).SerializeToString())
    >>> label, probabilities = session.run(None, {"X": X})
    >>> bool((label == model.predict(X)).all()), probabilities.shape
    (True, (1797, 10))
    """
    check_is_fitted(model)
    for part in (model, *model.get_params().values()):
        if isinstance(part, CalibratedClassifierCV):
            _require_sigmoids(part)
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if is_classifier(last) and not isinstance(last, CLASSIFIERS + AS_IN_SCIKIT_LEARN):
        # Arrays, not maps of labels to probabilities. With options, skl2onnx inspects each term of a bag.
        options.setdefault("options", {id(last): {"zipmap": False}})
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        X, options = None, {"initial_types": [("X", StringTensorType([None]))], **options}
    try:
        return skl2onnx.to_onnx(model, X, **options)
    except MissingShapeCalculator as error:
        raise NotImplementedError(str(error).partition("\n")[0]) from None


def _require_sigmoids(calibrated):
    """Refuse calibrated classifiers that skl2onnx converts wrongly."""
    if calibrated.method != "sigmoid" or isinstance(calibrated.estimator, Pipeline):
        raise NotImplementedError(
            "CalibratedClassifierCV has ONNX nodes only with method='sigmoid' and a classifier, not a "
            "Pipeline: put CalibratedClassifierCV at the end of the Pipeline."
        )


def _register():
    """Register the classes with skl2onnx."""
    for kind in CLASSIFIERS:
        skl2onnx.update_registered_converter(
            *(kind, classifiers.ALIAS, classifiers.infer_types, classifiers.convert_classifier),
            parser=classifiers.declare_outputs,
            options=classifiers.OPTIONS,
        )
    for kind in AS_IN_SCIKIT_LEARN:
        known = next(filter(sklearn_operator_name_map.__contains__, kind.__mro__), kind)  # ours, if patched
        sklearn_operator_name_map.update({kind: skl2onnx.get_model_alias(known)})
    for kind, nodes in TRANSFORMERS.items():
        functions, options = (_infer_columns, _converter(nodes)), {"locale": None} if kind in BAGS else None
        skl2onnx.update_registered_converter(kind, f"Fastsvm{kind.__name__}", *functions, options=options)


def _infer_columns(operator):
    """Set the type of a transformer's output."""
    n_columns = len(operator.raw_operator.get_feature_names_out())
    operator.outputs[0].type = float_type(operator, n_columns)


def _converter(nodes):
    """Return a function that adds the nodes of a transformer; the last node has its output."""

    def convert(scope, operator, container):
        g = Graph(scope, operator, container)
        g("Identity", nodes(g, operator.raw_operator), output=0)

    return convert


_register()
