"""The model files of LIBLINEAR."""

from .errors import AppError

START = "solver_type "  # begins each such file
WRITTEN = {  # by loss and penalty
    ("hinge", "l2"): "L2R_L1LOSS_SVC_DUAL",
    ("squared_hinge", "l2"): "L2R_L2LOSS_SVC_DUAL",
    ("log", "l2"): "L2R_LR_DUAL",
    ("squared_hinge", "l1"): "L1R_L2LOSS_SVC",
    ("log", "l1"): "L1R_LR",
}
OBJECTIVES = {kind: objective for objective, kind in WRITTEN.items()}
OBJECTIVES |= {"L2R_LR": ("log", "l2"), "L2R_L2LOSS_SVC": ("squared_hinge", "l2")}
CRAMMER_SINGER = "MCSVM_CS"  # not an objective of fastsvm; its weights can classify nevertheless


def write_liblinear(objective, labels, coef, intercepts) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    objective : (str or None, str), loss and penalty
        An objective that LIBLINEAR does not have is written as the hinge; the weights stay as they are.
    labels : sequence of int
        In the order of the rows of `coef`. Of two labels, the second has the scores above 0.
    coef : ndarray of shape (n_labels, n_features), or (1, n_features) for two labels
    intercepts : ndarray of shape (n_labels,) or (1,)
    """
    import numpy as np

    biased = bool(np.any(intercepts))
    rows = np.vstack([coef.T, intercepts]) if biased else coef.T
    header = [
        f"{START}{WRITTEN.get(objective, WRITTEN['hinge', 'l2'])}",
        f"nr_class {len(labels)}",
        # With two labels, LIBLINEAR predicts the first if the score is above 0.
        f"label {' '.join(str(label) for label in (labels[::-1] if len(labels) == 2 else labels))}",
        f"nr_feature {coef.shape[1]}",
        f"bias {1 if biased else -1}",
        "w",
    ]
    lines = (" ".join(map(repr, row)) + " " for row in rows.astype(float).tolist())
    return "\n".join([*header, *lines, ""]).encode()


def read_liblinear(path: str):
    """Read a file; an AppError says what is wrong with it.

    Returns
    -------
    objective : (str or None, str), loss and penalty; the loss is None if fastsvm does not have it
    labels : ndarray of int, sorted
    coef : ndarray of shape (n_labels, n_features), or (1, n_features) for two labels
    intercepts : ndarray of shape (n_labels,) or (1,)
    bias : float, the value of the constant column; negative without an intercept
    """
    import numpy as np

    with open(path, "rb") as file:
        head, _, body = file.read().partition(b"\nw\n")
    try:
        fields = dict(line.split(maxsplit=1) for line in head.decode().splitlines())
        kind, n, d = fields["solver_type"].strip(), int(fields["nr_class"]), int(fields["nr_feature"])
        labels, bias = np.array(fields["label"].split(), int), float(fields.get("bias", -1))
        n_rows = 1 if n == 2 and kind != CRAMMER_SINGER else n
        weights = np.array(body.split(), float).reshape(-1, n_rows)
        if kind not in OBJECTIVES and kind != CRAMMER_SINGER:
            raise ValueError(f"{kind} is not a classifier")
        if n < 2 or len({*labels.tolist()}) != n or len(labels) != n:
            raise ValueError("nr_class and label disagree")
        if weights.shape != (d + (bias >= 0), n_rows) or not d or not np.isfinite(weights).all():
            raise ValueError(f"it needs {d + (bias >= 0):,} x {n_rows} finite weights")
    except (KeyError, ValueError, OverflowError) as error:
        told = f"{error} is missing" if isinstance(error, KeyError) else error
        raise AppError(f"{path}: is not a LIBLINEAR model file: {told}") from error
    if n == 2:  # the first label has the scores above 0
        weights = weights if n_rows == 1 else weights[:, :1] - weights[:, 1:]
        weights, labels = (weights, labels[::-1]) if labels[0] > labels[1] else (-weights, labels)
    else:
        order = np.argsort(labels)
        weights, labels = weights[:, order], labels[order]
    coef = np.ascontiguousarray(weights[:d].T)
    intercepts = bias * weights[d] if bias >= 0 else np.zeros(len(coef))
    return OBJECTIVES.get(kind, (None, "l2")), labels, coef, intercepts, bias
