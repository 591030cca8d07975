"""The study of "Distributed and stochastic optimisation": SDCA, ASDCA and Pegasos side by side."""

from ..frame.context import Context
from ..frame.report import Report


def run(context: Context) -> Report:
    """Run the study."""
    from . import experiments, figures, output_figures, outputs, speed, tables

    results = experiments.run_all(context)
    claims = [*speed.speed_claims(results), *outputs.output_claims(results.draws)]
    return Report(
        name="solvers",
        title="SDCA, ASDCA and Pegasos: which converges faster",
        document="S. Ouillade and S. Vengathesa Sarma, Distributed and stochastic optimisation for machine "
        "learning, 2017",
        data=results.words,
        settings={
            "lambda": "1/n",
            "rows to train on": "two thirds",
            "intercept": "none",
            "draws of the simulated rows for table 2": len(results.draws.accuracy),
            "runs of each curve": experiments.curve_runs(context),
            "runs of each grid": experiments.grid_runs(context),
            "theta of ASDCA": "the paper's, but for its grid",
        },
        claims=claims,
        figures=[*figures.curve_figures(results), *output_figures.output_figures(results.draws)],
        tables=tables.tables(results, claims),
    )
