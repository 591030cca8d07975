"""Kernel values, and features that approximate a kernel, as ONNX nodes.

They are computed in double precision, since sums of large terms may cancel.
"""

import numpy as np
from scipy.linalg import solve_triangular

from .._utils.sparse import as_dense

ONNX_KERNELS = ("rbf", "poly", "polynomial", "sigmoid", "linear")


def features(g, model):
    """Add the nodes of `KernelFeatures`."""
    rows = g.rows(np.float64)
    if model.method == "random":
        angles = g("Add", g("MatMul", rows, _doubles(model.components_).T), _doubles(model.offsets_))
        values = g("Mul", g("Cos", angles), np.sqrt(2 / model._n_features_out))
    else:
        parameters = {"gamma": model.gamma_, "degree": model.degree, "coef0": model.coef0}
        values = kernel_values(g, model, rows, model.components_, **parameters)
        factor = _doubles(model.factor_)
        values = g("MatMul", values, solve_triangular(factor, np.eye(len(factor)), lower=True).T)
    return g.cast(values)


def nystroem_features(g, model):
    """Add the nodes of scikit-learn's `Nystroem`, whose parameters have defaults if they are None."""
    defaults = {"gamma": 1 / model.components_.shape[1], "degree": 3, "coef0": 1}
    given = {name: getattr(model, name) for name in defaults if getattr(model, name) is not None}
    values = kernel_values(g, model, g.rows(np.float64), model.components_, **{**defaults, **given})
    return g.cast(g("MatMul", values, _doubles(model.normalization_).T))


def kernel_values(g, model, rows, others, *, gamma, degree, coef0):
    """Add the nodes of a model's kernel values between rows and others, rows of the model."""
    kernel = model.kernel
    if callable(kernel) or kernel not in ONNX_KERNELS:
        raise NotImplementedError(
            f"{type(model).__name__}: the kernel {kernel!r} has no ONNX nodes; use one of "
            f"{', '.join(ONNX_KERNELS)}."
        )
    others = _doubles(others)
    products = g("MatMul", rows, others.T)
    if kernel == "linear":
        return products
    if kernel == "rbf":
        sizes = g("Add", g.row_sums(g("Mul", rows, rows)), np.square(others).sum(axis=1))
        distances = g("Max", g("Sub", sizes, g("Mul", products, np.float64(2))), np.float64(0))
        return g("Exp", g("Mul", distances, np.float64(-gamma)))
    scaled = g("Add", g("Mul", products, np.float64(gamma)), np.float64(coef0))
    return g("Tanh", scaled) if kernel == "sigmoid" else g("Pow", scaled, np.float64(degree))


def _doubles(values):
    return as_dense(values).astype(np.float64)
