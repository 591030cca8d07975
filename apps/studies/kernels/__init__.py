"""The study of "Multiclass Classification with Pegasos": kernels on handwritten digits, over a grid."""

from collections.abc import Callable

from ..frame.context import Arrays, Context
from ..frame.report import Report
from .data import Digits
from .settings import BEST_POLYNOMIAL, FOLDS, KERNELS, LAMBDAS, QUICK, WHOLE, Size


def run(context: Context) -> Report:
    """Run the study."""
    from . import claims, experiments, figures, tables
    from .data import digits_of

    size = QUICK if context.quick else WHOLE
    digits = digits_of(context.data, size.rows)
    data = {"X": digits.X, "y": digits.y}
    seeds = range(context.seed, context.seed + (context.runs or 1))
    grids = _grids(context, digits, size, seeds)
    with context.stage("race", total=size.repeats) as advance:
        key = {"steps": size.race_steps, "repeats": size.repeats, "seed": context.seed}
        race = context.part(
            "race", lambda: experiments.race(*data.values(), size, context.seed, advance), **data, **key
        )
    with context.stage("t-SNE"):
        key = {"rows": size.plane_rows, "steps": size.plane_steps, "seed": context.seed}
        plane = context.part(
            "plane",
            lambda: experiments.plane(*data.values(), size, context.seed, context.threads),
            **data,
            **key,
        )
    cell = KERNELS[BEST_POLYNOMIAL[0]], size.steps[-1], BEST_POLYNOMIAL[2]
    with context.stage("mistakes", total=FOLDS) as advance:
        wrong = context.part(
            "mistakes",
            lambda: experiments.mistakes(*data.values(), cell, context.seed, context.threads, advance),
            **data,
            cell=cell,
            seed=context.seed,
        )
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
        claims=claims.claims(digits, size, grids, race, plane),
        figures=figures.figures(digits, size, grids, race, plane, wrong),
        tables=tables.tables(digits, size, grids, race, wrong),
    )


def _grids(context: Context, digits: Digits, size: Size, seeds: range) -> dict[str, Arrays]:
    """Return the errors and times of each kernel; each is a part of its own."""
    from . import experiments

    with context.stage("grid", total=len(KERNELS) * len(LAMBDAS) * FOLDS * len(seeds)) as advance:

        def measured(parameters: dict) -> Callable[[], Arrays]:
            arguments = digits.X, digits.y, parameters, size.steps, seeds, context.threads, advance
            return lambda: experiments.grid(*arguments)

        return {
            name: context.part(
                "grid",
                measured(parameters),
                **{
                    "kernel": parameters,
                    "X": digits.X,
                    "y": digits.y,
                    "steps": size.steps,
                    "seeds": [*seeds],
                },
                lambdas=LAMBDAS,
            )
            for name, parameters in KERNELS.items()
        }
