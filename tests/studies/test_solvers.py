"""The study of solvers: how costs are compared, what its small version finds, and table 2 on all draws."""

from math import inf

import numpy as np
import pytest

from fastsvm_apps.studies.data.solver_sets import BETA_ACCURACY, WIDE, all_sets
from fastsvm_apps.studies.documents import solvers as study
from fastsvm_apps.studies.race.kept_races import cost_ratio, cost_to
from fastsvm_apps.studies.report.study import Context, Runs
from fastsvm_apps.studies.report.verdicts import median

pytestmark = pytest.mark.blas


def race(*objectives):
    """Make fields of runs whose objectives are given, one run a row; P* is 1, an epoch costs 10."""
    primal = np.array(objectives, float)
    return {"primal": primal, "optimum": np.ones_like(primal), "visits": 10 * np.cumsum(primal**0, axis=1)}


def test_what_a_run_needs_and_what_one_needs_as_a_multiple_of_another():
    runs = race([1.5, 1.005, 1.02, 1.001], [1.5, 1.4, 1.3, 1.2], [1.001, 1, 1, 1])
    assert cost_to(runs, "visits").tolist() == [40, inf, 10]
    assert cost_to(runs, "visits", for_good=False).tolist() == [20, inf, 10]
    far, slow, fast = ([race([3, *end])["primal"][0]] * 6 for end in ([2, 2], [2, 1], [1, 1]))
    for pair, ratio in (((slow, fast), 1.5), ((far, fast), inf), ((fast, far), 0)):
        assert cost_ratio(*(race(*each) for each in pair), "visits") == (ratio, ratio, ratio)
    assert cost_ratio(race(*far), race(*far), "visits") is None  # the level is never raised


@pytest.mark.slow
def test_the_rows_of_the_document(shared):
    """Table 2 as differences to beta; on many columns figure 2, and the projection."""
    context, runs = Context(data=str(shared), threads=2), Runs()
    study.add_draws(runs, context)
    for m, output in enumerate(("last", "tail")):
        ours = np.mean(study.beta_differences(runs, output), axis=1)
        assert np.abs(ours - (study.TABLE_2[:, m] - BETA_ACCURACY)).max() < 0.02
    wide = all_sets(context.data, context.seed, context.quick)[WIDE]
    study.race_four(runs, context, wide, 6)
    study.race_projections(runs, context, wide, 6)
    mini_batch = study.ratios(runs.select("curves", WIDE), [(study.VANILLA, study.MINI_BATCH)])
    assert all(ratio.low > 1 for ratio in mini_batch.values())
    races = (runs["projection", WIDE, name, ""] for name in (study.PROJECTED, study.PEGASOS))
    assert median(np.divide(*map(study.total_variation, races))).high < 0.5
