"""What the commands share: options, the rows of FILE, and how results and errors are shown."""

from dataclasses import dataclass
from functools import wraps
from typing import NamedTuple

import click

from ...common import options
from ...common.errors import AppError
from ...common.matrix_reading import FORMATS, TABLE_OPTIONS, Rows, read_labelled, read_matrix
from ...common.options import LOSS, json_option, option_field, options_of_fields, section
from ...common.paths import ROWS
from ...common.sections import tell
from ..vector_models import SOLVER_TYPES

file_argument = click.argument("file", type=ROWS)
PENALTIES = ("l2", "l1", "elasticnet")
KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian")


class Source(NamedTuple):
    """The rows of FILE."""

    path: str
    format: str | None
    zero_based: bool | None
    header: bool | None
    label_col: str | None

    @property
    def name(self) -> str:
        """Return the name of the file in messages."""
        return "<stdin>" if self.path == "-" else self.path

    def read(self, *, zero_based: bool | None = None, model=None, labelled: bool = False, **more) -> Rows:
        """Read the rows; `zero_based` applies unless an option says how columns are numbered.

        With `model`, the rows must have its columns.
        """
        numbered = zero_based if self.zero_based is None else self.zero_based
        if model is not None:
            more |= {"n_features": model.n_features_in_, "names": [*getattr(model, "feature_names_in_", ())]}
        more |= {"header": self.header, "label_col": self.label_col}
        read = read_labelled if labelled else read_matrix
        return read(self.path, self.format, zero_based=numbered, **more)


def command(*examples: str, letter_v: bool = True):
    """Make a function a command on a FILE of vectors.

    The function gets a `Source` and the `Stages` before its options. It returns the record for --json, and
    the sections that say the same, or a function that prints them.
    """

    def decorate(function):
        @wraps(function)
        def run(file, format, zero_based, header, label_col, json, stage, verbose, **more):
            source = Source(file, format, zero_based, header, label_col)
            with stage:
                try:
                    record, shown = function(source, stage, **more)
                except ValueError as error:
                    raise AppError(f"{source.name}: {error}") from error
            if callable(shown) and not json:
                return shown()
            return tell(json, record, shown)

        numbered = "The first column of svmlight has the number 0.  [default: if any row has a column 0]"
        kinds = "Lines `label index:value`, a table, or NumPy's X and y.  [default: by ending, else svmlight]"
        formats = click.option("--format", type=click.Choice(FORMATS), help=kinds)
        zero_based = click.option("--zero-based", is_flag=True, default=None, help=numbered)
        run = section("Input", formats, *TABLE_OPTIONS, zero_based)(section("Output", json_option)(run))
        return options.command("fastsvm", *examples, letter_v=letter_v)(run)

    return decorate


FOLDS = click.IntRange(min=2)


@dataclass(frozen=True)
class MachineSettings:
    """The options of a training, without C."""

    loss: str | None = option_field(None, "Loss.  [default: squared_hinge, or hinge for kernels]", type=LOSS)
    solver_type: str | None = option_field(
        None,
        "LIBLINEAR's number of loss and penalty. With l2, 0 and 7 are log, 1 and 2 squared_hinge, and 3 is "
        "hinge; with l1, 5 is squared_hinge, and 6 is log.",
        letter="s",
        type=click.Choice([*SOLVER_TYPES]),
        metavar="N",
    )
    penalty: str | None = option_field(
        None,
        "`l1` and `elasticnet` make most weights zero; they need squared_hinge or log.  [default: l2]",
        type=click.Choice(PENALTIES),
    )
    l1_ratio: float = option_field(0.5, "Share of l1 in the elasticnet penalty.", type=click.FloatRange(0, 1))
    tol: float = option_field(
        1e-3,
        "Stop once the duality gap is at most this share of the objective.",
        letter="e",
        type=options.STRENGTH,
    )
    weight: tuple[tuple[str, float], ...] = option_field(
        (),
        "Multiply C by W for rows with this label; for example -w1 5 -w-1 2.",
        letter="w",
        type=(str, options.STRENGTH),
        multiple=True,
        metavar="LABEL W",
    )
    no_intercept: bool = option_field(False, "Fit no intercept.", is_flag=True)
    kernel: str = option_field("linear", "Kernel.", type=click.Choice(KERNELS))
    gamma: float | None = option_field(
        None, "Parameter gamma of the kernel.  [default: scikit-learn's `scale`]", type=options.STRENGTH
    )
    degree: int = option_field(3, "Degree of the poly kernel.", type=options.COUNT)
    coef0: float = option_field(0.0, "Constant of the poly and sigmoid kernels.", type=options.FiniteFloat())
    seed: int = 0


def training_options(cost):
    """Return a decorator that adds the options of training, the first of which is -c."""
    return section("Training", cost, *options_of_fields(MachineSettings), options.seed_option)
