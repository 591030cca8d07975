"""Options that several commands share."""

from contextlib import contextmanager
from functools import partial

import click

from ...common import options
from ...common.errors import AppError
from ...common.matrix_reading import FORMATS, read_matrix
from ...common.options import STRENGTH, FiniteRange, section, seed_option
from ...common.printing import tidy_warnings
from ...common.progress import Stages
from ..learning.training import SOLVER_TYPES

command = partial(options.command, "fastsvm")
KERNELS = ("linear", "rbf", "poly", "sigmoid", "laplacian")
LOSSES = ("hinge", "squared_hinge", "smooth_hinge", "log")

reading_options = section(
    "Input",
    click.option(
        "--format", type=click.Choice(FORMATS), help="Format of FILE.  [default: its ending, or svmlight]"
    ),
    click.option(
        "--zero-based",
        is_flag=True,
        default=None,
        help="The first column of svmlight is number 0.  [default: if any row has a column 0]",
    ),
)


class SolverType(click.Choice):
    """LIBLINEAR's number of a loss."""

    def convert(self, value, param, ctx):
        """Return the number."""
        return int(super().convert(str(value), param, ctx))


loss_option = click.option(
    "--loss", type=click.Choice(LOSSES), help="Loss.  [default: squared_hinge; hinge with a kernel]"
)
tol_option = click.option(
    "-e",
    "--tol",
    type=STRENGTH,
    default=1e-3,
    help="Stop as soon as no weights can lower the objective by more than this share.",
)


def training_options(*first):
    """Return a decorator that adds the options of training, after those given."""
    return section(
        "Training",
        *first,
        loss_option,
        click.option(
            "-s",
            "--solver-type",
            type=SolverType([*map(str, SOLVER_TYPES)]),
            metavar="N",
            help="LIBLINEAR's number for the loss: 0 or 7 is log, 1 or 2 squared_hinge, 3 hinge.",
        ),
        tol_option,
        click.option(
            "-w",
            "--weight",
            type=(str, STRENGTH),
            multiple=True,
            metavar="LABEL W",
            help="Multiply C by W for rows with this label, for example -w1 5. May be repeated.",
        ),
        click.option("--no-intercept", "fit_intercept", is_flag=True, flag_value=False, default=True,
                     help="Leave the intercept out."),
        click.option("--kernel", type=click.Choice(KERNELS), default="linear", help="Kernel."),
        click.option("--gamma", type=STRENGTH, help="gamma of the kernel.  [default: scikit-learn's scale]"),
        click.option("--degree", type=click.IntRange(min=1), default=3, help="Degree of the kernel poly."),
        click.option("--coef0", type=FiniteRange(), default=0.0, help="coef0 of poly and sigmoid."),
        seed_option,
    )  # fmt: skip


@contextmanager
def working(file: str, quiet: bool, verbose: bool):
    """Give the `Stages` of a command; what the library finds wrong with a file becomes one line."""
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        try:
            yield stage
        except ValueError as error:
            raise AppError(f"{'<stdin>' if file == '-' else file}: {error}") from error


def labelled_rows(path: str, format: str | None, zero_based: bool | None, n_features: int | None = None):
    """Read rows that must have labels, two at least."""
    rows = read_matrix(path, format, zero_based=zero_based, n_features=n_features)
    name = "<stdin>" if path == "-" else path
    if rows.y is None:
        raise AppError(f"{name}: has no labels; they are in y of an NPZ file")
    if (rows.y == rows.y[0]).all():
        raise AppError(f"{name}: all rows have the same label; two are needed")
    return rows


def shown_label(label) -> str:
    """Return a label as files have it: whole numbers without a point."""
    return f"{label:.17g}" if isinstance(label, float) else str(label)
