"""What the commands share: options, the rows of FILE, and how results and errors are shown."""

from dataclasses import dataclass
from functools import wraps
from typing import NamedTuple

import click

from ...common import options
from ...common.errors import AppError
from ...common.matrix_reading import FORMATS, TABLE_OPTIONS, Rows, read_labelled, read_matrix
from ...common.options import json_option, option_field, options_of_fields, section
from ...common.paths import Reads
from ...common.printing import tidy_warnings
from ...common.progress import Stages
from ...common.sections import tell
from ..vector_models import SOLVER_TYPES

file_argument = click.argument("file", type=Reads(depth=1))
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
        """Return what messages call it."""
        return "<stdin>" if self.path == "-" else self.path

    def read(self, *, zero_based: bool | None = None, model=None, labelled: bool = False, **more) -> Rows:
        """Read the rows; where the options do not say how columns are numbered, `zero_based` does.

        Those for a model have its columns.
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
    the sections that say the same, or a function that prints it.
    """

    def decorate(function):
        @wraps(function)
        def run(file, format, zero_based, header, label_col, json, quiet, verbose, **more):
            source = Source(file, format, zero_based, header, label_col)
            with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
                try:
                    record, shown = function(source, stage, **more)
                except ValueError as error:
                    raise AppError(f"{source.name}: {error}") from error
            if callable(shown) and not json:
                return shown()
            return tell(json, record, shown)

        numbered = "The first column of svmlight is number 0.  [default: if any row has column 0]"
        kinds = "Lines `label index:value`, a table, or NumPy's X and y.  [default: by ending; svmlight]"
        formats = click.option("--format", type=click.Choice(FORMATS), help=kinds)
        zero_based = click.option("--zero-based", is_flag=True, default=None, help=numbered)
        run = section("Input", formats, *TABLE_OPTIONS, zero_based)(section("Output", json_option)(run))
        return options.command("fastsvm", *examples, letter_v=letter_v)(run)

    return decorate


FOLDS = click.IntRange(min=2)


@dataclass(frozen=True)
class MachineSettings:
    """What kind of machine is fitted, but for C: the options of a training."""

    loss: str | None = option_field(None, "[default: squared_hinge; hinge for kernels]", type=options.LOSS)
    solver_type: str | None = option_field(
        None,
        "LIBLINEAR's solver number: 0 or 7 is log loss, 1 or 2 squared_hinge, 3 hinge; with penalty l1, 5 is "
        "squared_hinge, 6 log.",
        letter="s",
        type=click.Choice([*SOLVER_TYPES]),
        metavar="N",
    )
    penalty: str | None = option_field(
        None,
        "l1 and elasticnet make most weights zero; for squared_hinge and log.  [default: l2]",
        type=click.Choice(PENALTIES),
    )
    l1_ratio: float = option_field(0.5, "Share of the l1 norm in elasticnet.", type=click.FloatRange(0, 1))
    tol: float = option_field(
        1e-3,
        "Stop once the duality gap is at most this share of the objective.",
        letter="e",
        type=options.STRENGTH,
    )
    weight: tuple[tuple[str, float], ...] = option_field(
        (),
        "Multiply C by W for this label: -w1 5 -w-1 2.",
        letter="w",
        type=(str, options.STRENGTH),
        multiple=True,
        metavar="LABEL W",
    )
    no_intercept: bool = option_field(False, "Leave the intercept out.", is_flag=True)
    kernel: str = option_field("linear", None, type=click.Choice(KERNELS))
    gamma: float | None = option_field(
        None, "gamma of the kernel.  [default: scikit-learn's scale]", type=options.STRENGTH
    )
    degree: int = option_field(3, "Exponent of the kernel poly.", type=options.COUNT)
    coef0: float = option_field(0.0, "Constant in the kernels poly and sigmoid.", type=options.FiniteFloat())
    seed: int = 0


def training_options(cost):
    """Return a decorator that adds the options of training, the first of which is -c."""
    return section("Training", cost, *options_of_fields(MachineSettings), options.seed_option)
