"""The study of "Multiclass Classification with Pegasos": kernels on handwritten digits, over a grid."""

from functools import partial

from ..frame.study_context import Arrays, Context
from ..frame.study_report import Report
from .kernel_digits import Digits
from .kernel_grid import FOLDS, KERNELS, LAMBDAS, QUICK, WHOLE, WIDER, WIDER_LAMBDAS, Size


def run(context: Context) -> Report:
    """Run the study."""
    from . import kernel_claims, kernel_experiments, kernel_figures, kernel_tables
    from .kernel_digits import digits_of

    size = QUICK if context.quick else WHOLE
    digits = digits_of(context.data, size.rows)
    rows = digits.X, digits.y
    key = {"X": digits.X, "y": digits.y, "seed": context.seed}
    seeds = range(context.seed, context.seed + (context.runs or 1))
    measured = context, digits, size, seeds
    grids = _kernel_grids(*measured, KERNELS, LAMBDAS)
    is_wider = context.choices.get("grid") == "wider"
    wider = _kernel_grids(*measured, WIDER, WIDER_LAMBDAS) if is_wider else {}
    with context.stage("race", total=size.repeats) as advance:
        compute = partial(kernel_experiments.race, *rows, size, context.seed, advance)
        race = context.part("race", compute, **key, steps=size.race_steps, repeats=size.repeats)
    memory = kernel_experiments.memory(digits.X)
    with context.stage("t-SNE"):
        compute = partial(kernel_experiments.plane, *rows, size, context.seed, context.threads)
        plane = context.part("plane", compute, **key, rows=size.plane_rows, steps=size.plane_steps)
    return Report(
        name="kernels",
        title="Ten digits: kernel Pegasos over a grid",
        document="G. Cerizza, Multiclass Classification with Pegasos (University of Milan)",
        data=digits.words,
        settings={
            "kernels": ", ".join(KERNELS),
            "lambda": ", ".join(f"{each:g}" for each in LAMBDAS),
            "T": ", ".join(f"{each:,}" for each in size.steps),
            "folds": f"{FOLDS}, stratified, {len(seeds)} time{'s' * (len(seeds) > 1)}",
        },
        claims=kernel_claims.claims(digits, size, grids, race, plane, memory, wider),
        figures=kernel_figures.kernel_figures(digits, size, grids, race, plane, wider),
        tables=kernel_tables.tables(size, grids, race),
    )


def _kernel_grids(
    context: Context, digits: Digits, size: Size, seeds: range, kernels: dict, lambdas: tuple[float, ...]
) -> dict[str, Arrays]:
    """Return the errors and times of each kernel; each is a part of its own."""
    from . import kernel_experiments

    key = {"X": digits.X, "y": digits.y, "steps": size.steps, "seeds": [*seeds], "lambdas": lambdas}
    with context.stage("grid", total=len(kernels) * len(lambdas) * FOLDS * len(seeds)) as advance:
        return {
            name: context.part(
                "grid",
                partial(
                    kernel_experiments.grid,
                    *(digits, kernel, lambdas, size.steps, seeds, context.threads, advance),
                ),
                kernel=kernel,
                **key,
            )
            for name, kernel in kernels.items()
        }
