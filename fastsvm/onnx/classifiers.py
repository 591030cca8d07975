"""Linear classifiers and kernel machines as ONNX nodes."""

import numpy as np
from onnx import TensorProto
from skl2onnx.common.data_types import Int64TensorType, StringTensorType, guess_tensor_type

from ..fitting.prediction import has_several_labels, is_multinomial
from .graph import Graph, float_type
from .kernels import kernel_values

ALIAS = "FastsvmClassifier"
# CalibratedClassifierCV needs "raw_scores"; there is never a map of labels to probabilities.
OPTIONS = {"raw_scores": [True, False], "zipmap": [True, False]}


def declare_outputs(scope, model, inputs, custom_parsers=None):
    """Declare the outputs; skl2onnx itself would always call the second one "probabilities"."""
    operator = scope.declare_local_operator(ALIAS, model)
    operator.inputs = inputs
    second = "probabilities" if hasattr(model, "predict_proba") else "scores"
    for name, kind in ("label", Int64TensorType()), (second, guess_tensor_type(inputs[0].type)):
        operator.outputs.append(scope.declare_local_variable(name, kind))
    return operator.outputs


def infer_types(operator):
    """Set the types of the labels and of the probabilities or scores."""
    labels, n_rows = _labels(operator.raw_operator), operator.inputs[0].get_first_dimension()
    several = has_several_labels(operator.raw_operator)
    whole = several or labels.dtype.kind == "i"
    shape = [n_rows, len(labels)] if several else [n_rows]
    operator.outputs[0].type = (Int64TensorType if whole else StringTensorType)(shape)
    operator.outputs[1].type = float_type(operator, len(labels))


def convert_classifier(scope, operator, container):
    """Add the nodes that compute labels and, for each class, the probability or else the score.

    With two classes, the scores are minus and plus what `decision_function` returns. With several labels per
    row, the labels are 0 and 1, as in `predict`.
    """
    model, g = operator.raw_operator, Graph(scope, operator, container)
    scores = _kernel_scores(g, model) if hasattr(model, "support_") else _linear_scores(g, model)
    several = has_several_labels(model)
    columns = _of_classes(g, model, scores)
    if several:
        above = g("Greater", scores, np.asarray(model.thresholds_, g.dtype))
        g("Cast", above, to=TensorProto.INT64, output=0)
    else:
        g("Gather", _labels(model), g("ArgMax", columns, axis=1, keepdims=0), output=0)
    raw = container.get_options(model, {"raw_scores": False})["raw_scores"]
    if raw or not hasattr(model, "predict_proba"):
        g("Identity", columns, output=1)
        return
    joint = is_multinomial(model)
    if hasattr(model, "calibration_"):
        sigmoids = model.calibration_
        joint = len(sigmoids.slopes) > 1 and not several
        slopes, intercepts = (np.asarray(each, g.dtype) for each in (sigmoids.slopes, sigmoids.intercepts))
        columns = _of_classes(g, model, g("Add", g("Mul", scores, slopes), intercepts))
    if not joint:
        columns = _log_sigmoid(g, columns)  # onnxruntime's Sigmoid is constant below -18
    if several:
        g("Exp", columns, output=1)
    else:
        g("Softmax", columns, axis=1, output=1)


def _of_classes(g, model, scores):
    """Return a column for each class."""
    of_two = len(model.classes_) == 2 and not has_several_labels(model)
    return g("Concat", g("Neg", scores), scores, axis=1) if of_two else scores


def _log_sigmoid(g, scores):
    rest = g("Log", g("Add", g("Exp", g("Neg", g("Abs", scores))), g.dtype(1)))
    return g("Sub", g("Min", scores, g.dtype(0)), rest)


def _linear_scores(g, model):
    rows, coef = g.rows(), model.coef_.T.astype(g.dtype)
    scores = g("MatMul", rows, coef)
    if hasattr(model, "squares_"):
        norms = g("Sqrt", g("MatMul", g("Mul", rows, rows), model.squares_.T.astype(g.dtype)))
        scores = g("Div", scores, g("Max", norms, np.finfo(g.dtype).tiny))
    return g("Add", scores, np.asarray(model.intercept_, g.dtype))


def _kernel_scores(g, model):
    parameters = {"gamma": model.gamma_, "degree": model.degree, "coef0": model.coef0}
    values = kernel_values(g, model, g.rows(np.float64), model.support_vectors_, **parameters)
    return g.cast(g("Add", g("MatMul", values, model.dual_coef_.T), model.intercept_))


def _labels(model):
    """Return the labels for ONNX: strings or whole numbers."""
    return model.classes_ if model.classes_.dtype.kind in "OU" else model.classes_.astype(np.int64)
