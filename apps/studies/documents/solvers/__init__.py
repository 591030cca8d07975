"""The study of "Distributed and stochastic optimisation": SDCA, ASDCA and Pegasos side by side."""

from ...report.study_report import Context, Report


def run(context: Context) -> Report:
    """Run the study."""
    from . import (
        convergence_figures,
        output_claims,
        output_figures,
        rate_claims,
        solver_experiments,
        solver_tables,
        speed_claims,
    )

    results = solver_experiments.run_all(context)
    claims = [
        *speed_claims.speed_claims(results),
        *rate_claims.rate_claims(results.rates, results.stops),
        *rate_claims.batch_claims(results),
        *output_claims.output_claims(results.draws),
    ]
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
            "runs of each curve": solver_experiments.curve_runs(context),
            "runs of each grid": solver_experiments.grid_runs(context),
            "theta of ASDCA": "the paper's in figures and table 2; in claims on speed the best of the grid, "
            "chosen on the same runs",
        },
        claims=claims,
        figures=[
            *convergence_figures.convergence_figures(results),
            *output_figures.output_figures(results.draws),
        ],
        tables=solver_tables.tables(results, claims),
    )
