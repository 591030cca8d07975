"""The fields of classifiers and of transformers of numbers in a model file."""

import math

import numpy as np

from .container import FLOATS, ModelFileError, show
from .fields import THRESHOLDS, Array, Codec, Labels, Measure, Number

MAX_FEATURES = 1 << 24  # for steps without an array of this length
MAX_COUNT = 1 << 62  # steps or epochs; further training goes on counting, in 64 bits

ROW_NUMBERS = (np.dtype("<i4"),)
DOUBLES = (np.dtype("<f8"),)


# Checks of arrays ----------------------------------------------------------------------------------------


def positive(name, array):
    """Check that all values are above 0."""
    if not (array > 0).all():
        raise ModelFileError(f"{name} has values that are not positive")


def not_negative(name, array):
    """Check that no value is below 0."""
    if not (array >= 0).all():
        raise ModelFileError(f"{name} has negative values")


def not_empty(name, array):
    """Check that an array has rows and columns."""
    if 0 in array.shape:
        raise ModelFileError(f"{name} is of shape {array.shape}, which is empty")


def ascending(name, array):
    """Check that an array has row numbers, each once."""
    if (array < 0).any() or (array[:-1] >= array[1:]).any():
        raise ModelFileError(f"{name} is not a list of row numbers in ascending order")


def lower_triangular(name, array):
    """Check that an array is the factor of a Cholesky decomposition."""
    if np.triu(array, 1).any() or not (array.diagonal() > 0).all():
        raise ModelFileError(f"{name} is not lower triangular with a positive diagonal")


# Kinds of fields -----------------------------------------------------------------------------------------


class Sigmoids(Array):
    """A calibration: a row of slopes and a row of intercepts, one per label or one for all labels."""

    def write(self, model, fitted, tensors):
        sigmoids = getattr(model, self.name)
        tensors[self.name] = np.array([sigmoids.slopes, sigmoids.intercepts], float)

    def read(self, model, fitted, tensors, lengths):
        from ..fitting import Calibration

        is_common = self.name in tensors and tensors[self.name].shape[1:] == (1,)
        lengths = lengths | {"n_scores": 1} if is_common else lengths
        sigmoids = super().read(model, fitted, tensors, lengths)
        return Calibration(*sigmoids, independent=hasattr(model, THRESHOLDS))


class Shift(Array):
    """The intercepts of a kernel machine; the file lacks them if all are 0."""

    def is_in_model(self, model):
        return super().is_in_model(model) and getattr(model, self.name).any()


def count(name, optional=False):
    """Make the field of a number of epochs or steps."""
    return Number(name, int, 0, MAX_COUNT, optional=optional)


# Parameters that are refused -----------------------------------------------------------------------------


def unless_named(name, model):
    """Refuse a kernel machine whose kernel is a function or precomputed."""
    from ..solvers.params import KERNELS

    if model.kernel not in KERNELS:
        what = f"a file cannot hold a {name} with kernel={show(model.kernel)}"
        raise ModelFileError(f"{what}, only with {', '.join(KERNELS)}")


def if_computed(name, model):
    """Refuse the features of a precomputed kernel matrix."""
    if model.kernel == "precomputed":
        raise ModelFileError(f"a file cannot hold a {name} with kernel='precomputed', which has no centres")


# The tables ----------------------------------------------------------------------------------------------

SCORES, COLUMNS, SUPPORT, CENTRES = ("n_scores",), ("n_features_in_",), ("n_support",), ("n_centres",)
N_COLUMNS = Number("n_features_in_", int, 1, MAX_FEATURES)
GAMMA = Number("gamma_", float, math.ulp(0))
ENDS = [Measure("objective_"), Measure("dual_gap_"), Labels("classes_")]
CALIBRATION = Sigmoids("calibration_", (2, "n_scores"), optional=True)

LINEAR = Codec(
    [
        count("n_iter_", optional=True),
        count("t_", optional=True),
        *ENDS,
        Array("coef_", SCORES + COLUMNS, check=not_empty),
        Array("intercept_", SCORES),
        Array(THRESHOLDS, SCORES, optional=True),
        Number("sparse_output_", bool, False, True, optional=True),
        Array("squares_", SCORES + COLUMNS, check=not_negative, optional=True),
        CALIBRATION,
    ],
    n_features_out=lambda model: 0,
)


def kernel_machine(counter):
    """Make the codec of a kernel machine that counts its epochs or its steps."""
    fields = [
        count(counter),
        *ENDS,
        GAMMA,
        N_COLUMNS,
        Array("support_vectors_", SUPPORT + COLUMNS, csr=True, when=("kernel",)),
        Array("support_", SUPPORT, ROW_NUMBERS, ascending),
        Array("dual_coef_", SCORES + SUPPORT, DOUBLES),
        Shift("intercept_", SCORES, optional=True, absent=lambda lengths: np.zeros(lengths["n_scores"])),
        CALIBRATION,
    ]
    return Codec(fields, refuse=unless_named, n_features_out=lambda model: 0)


def nothing(lengths):
    """Return None, the value of some arrays of transformers."""


def of_scaler(name, switch, check=None):
    """Make the field of an array that a scaler has, at least if the switch is on."""
    return Array(name, COLUMNS, FLOATS, check, optional=True, when=(switch, True), absent=nothing, views=True)


CODECS = {  # by the class's name in files
    **dict.fromkeys(
        ("SDCAClassifier", "ASDCAClassifier", "PegasosClassifier", "PerceptronClassifier"), LINEAR
    ),
    "KernelSDCAClassifier": kernel_machine("n_iter_"),
    "KernelPegasosClassifier": kernel_machine("t_"),
    "KernelFeatures": Codec(
        [
            GAMMA,
            N_COLUMNS,
            Array("components_", CENTRES + COLUMNS, check=not_empty, csr=True),
            Array("factor_", CENTRES * 2, "components_", lower_triangular, when=("method", "nystroem")),
            Array("offsets_", CENTRES, "components_", when=("method", "random")),
        ],
        refuse=if_computed,
        n_features_out=lambda model: model.components_.shape[0],
    ),
    "StandardScaler": Codec(
        [
            N_COLUMNS,
            of_scaler("mean_", "with_mean"),
            of_scaler("scale_", "with_std", positive),
            of_scaler("var_", "with_std", not_negative),
        ],
        switches=("copy", "with_mean", "with_std"),
    ),
    "PCA": Codec(
        [
            N_COLUMNS,
            Number("n_components_", int, 1, MAX_FEATURES),
            Array("mean_", COLUMNS, views=True),
            Array("components_", ("n_components_", "n_features_in_"), views=True),
            Array("explained_variance_", ("n_components_",), check=not_negative, views=True),
        ],
        switches=("whiten",),
        n_features_out=lambda model: model.n_components_,
        finish=lambda model: model.set_params(n_components=model.n_components_),
    ),
}
