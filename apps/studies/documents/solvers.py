"""The study of "Distributed and stochastic optimisation": SDCA, ASDCA and Pegasos side by side."""

from ..report.study_report import Context, Report
from . import solver_convergence as convergence
from . import solver_outputs, solver_rates
from .solver_sets import all_sets


def run(context: Context) -> Report:
    """Run the study."""
    sets, absent, words = all_sets(context)
    results = convergence.Results([convergence.run_set(data, context) for data in sets], absent)
    rates, stops = solver_rates.rates(context), solver_rates.random_stops(context)
    draws = solver_outputs.draw_outputs(context)
    claims = [
        *convergence.speed_claims(results),
        *solver_rates.rate_claims(rates, stops),
        *convergence.batch_claims(results),
        *solver_outputs.output_claims(draws),
    ]
    return Report(
        title="SDCA, ASDCA and Pegasos: which converges faster",
        document="S. Ouillade and S. Vengathesa Sarma, Distributed and stochastic optimisation for machine "
        "learning, 2017",
        data=words,
        settings={
            "lambda": "1/n",
            "rows to train on": "two thirds",
            "intercept": "none",
            "draws of the simulated rows for table 2": len(draws["accuracy"]),
            "runs of each curve": convergence.curve_runs(context),
            "runs of each grid": convergence.grid_runs(context),
            "theta of ASDCA": "the paper's in figures and table 2; in claims on speed the best of the grid, "
            "chosen on the same runs",
        },
        claims=claims,
        figures=[
            *convergence.convergence_figures(results),
            solver_rates.rate_figure(rates),
            *solver_outputs.output_figures(draws),
        ],
        tables=convergence.solver_tables(results, claims, solver_outputs.accuracy_table(draws)),
    )
