"""The study of solvers: how costs are compared and claims are judged, and what its small version finds."""

from math import inf

import numpy as np
import pytest

from fastsvm_apps.common.matplotlib_figures import figure
from fastsvm_apps.studies.documents import solver_convergence as convergence
from fastsvm_apps.studies.documents import solver_outputs, solver_rates, solver_sets, solvers
from fastsvm_apps.studies.race.cost_to_level import cost_to_level, level_beyond_an_epoch
from fastsvm_apps.studies.race.race_curves import Curves
from fastsvm_apps.studies.report.claim_judging import Statistic, above, below, judge, meets, within
from fastsvm_apps.studies.report.study_report import Context, Verdict

pytestmark = pytest.mark.blas


def few_steps(patch):
    """Measure rates, and every step, on less."""
    patch.setattr(convergence, "STEP_EPOCHS", 1)
    patch.setattr(solver_rates, "STEP_COUNTS", (64, 512, 4096))
    patch.setattr(solver_rates, "ROWS", (60, 120))


def curves(**objectives):
    """Make curves of algorithms whose objectives are given, one run a row; P* is 1, an epoch costs 10."""
    of = {}
    for name, primal in objectives.items():
        primal = np.array(primal, float)
        visits = np.broadcast_to(10.0 * np.arange(1, 1 + primal.shape[1]), primal.shape)
        of[name] = {"primal": primal, "visits": visits}
    return Curves(of, 1.0)


def test_the_cost_is_that_of_coming_to_the_level_for_good():
    excess = np.array([[0.5, 0.005, 0.02, 0.001], [0.5, 0.4, 0.3, 0.2], [0.001, 0, 0, 0]])
    cost = np.array([[10.0, 20, 30, 40]] * 3)
    assert cost_to_level(excess, cost, 0.01).tolist() == [40, inf, 10]
    assert cost_to_level(excess, cost, np.array([0.02, 0.35, 0])).tolist() == [20, 30, 20]


def test_a_level_is_one_that_no_first_epoch_meets():
    slow, fast = np.array([[0.5, 0.1]] * 3), np.array([[0.0005, 0.0001], [0.002, 0.0001], [0.005, 0]])
    assert level_beyond_an_epoch(slow, slow) == 0.01
    assert level_beyond_an_epoch(slow, fast) == 0.001


@pytest.mark.parametrize(("a", "b", "ratio"), [
    ([3, 2, 1, 1], [3, 1, 1, 1], 1.5),  # 30 visits against 20
    ([3, 2, 2, 2], [3, 1, 1, 1], inf),  # only the second gets there
    ([3, 1, 1, 1], [3, 2, 2, 2], 0),
    ([9, 8, 7, 6], [7, 6, 5, 4], 2),  # none does: both need only come to 6
])  # fmt: skip
def test_what_one_needs_as_a_multiple_of_what_another_needs(a, b, ratio):
    found = curves(a=[a] * 6, b=[b] * 6)
    assert convergence.cost_ratio((found, found), ("a", "b"), "visits") == (ratio, ratio, ratio)


def test_what_is_proven_of_sdca_and_how_steps_are_counted():
    assert solver_rates.proven_steps(100, 0.1, 0.1) == np.ceil(100 * np.log(5)) + 100 + 500
    assert solver_rates.proven_steps(10, 0.1, 0.1) == 510
    steps, epsilons = solver_rates.STEP_COUNTS, solver_rates.EPSILONS
    excess = np.full(len(steps), 0.02)
    excess[:3], excess[5] = 1, 0.05
    assert solver_rates.steps_needed(excess).tolist() == [steps[3], steps[6], np.inf, np.inf]
    assert solver_rates.steps_needed(0 * excess).tolist() == [steps[0]] * len(epsilons)


@pytest.mark.parametrize(("rule", "held", "refuted", "undecided"), [
    (above(1), (2, 1.1, 3), (0.8, 0.7, 1), (2, 0.9, 3)),
    (below(1), (0.5, 0.2, 0.9), (2, 1, 3), (0.5, 0.2, 1.1)),
    (within(1, inf), (1, 1, inf), (0.5, 0.2, 0.9), (2, 0.9, 3)),
    (within(0.5, 2), (1, 0.5, 2), (3, 2.1, 4), (1, 0.4, 1.9)),
    (meets(0, 0), (0.1, -0.1, 0.3), (0.2, 0.1, 0.3), None),
])  # fmt: skip
def test_rules(rule, held, refuted, undecided):
    def verdict(*cases, absent=""):
        cases = {f"set {k}": Statistic(*case) for k, case in enumerate(cases)}
        return judge("", "", cases, rule, solver_outputs.SHARE, absent=absent).verdict

    assert verdict(held) is Verdict.HELD
    assert verdict(held, refuted) is Verdict.REFUTED
    assert verdict(held, absent="no skin") is Verdict.UNTESTED
    assert verdict(refuted, absent="no skin") is Verdict.REFUTED
    assert verdict() is Verdict.UNTESTED
    assert verdict((1, -inf, inf)) is Verdict.UNTESTED
    if undecided:
        assert verdict(held, undecided) is Verdict.UNDECIDED
        assert verdict(held, undecided, refuted) is Verdict.REFUTED


def test_the_true_coefficients_are_as_accurate_as_the_document_has_them():
    draws = [solver_sets.simulated(seed) for seed in range(60)]
    accuracy = [np.mean((data.X_test @ data.beta > 0) == (data.y_test > 0)) for data in draws]
    assert np.mean(accuracy) == pytest.approx(solver_sets.BETA_ACCURACY, abs=0.01)
    for data in draws[:3]:
        assert np.allclose(data.X.mean(axis=0), 0)
        assert np.allclose(data.X.std(axis=0), 1)
        assert (len(data.y), len(data.y_test), data.alpha) == (666, 334, 1 / 666)


def test_what_is_absent_cannot_be_tested(tmp_path, monkeypatch):
    monkeypatch.setattr(solver_sets, "EPOCHS", 3)
    few_steps(monkeypatch)
    report = solvers.run(Context(data=str(tmp_path), runs=6))
    claims = {claim.words: claim for claim in report.claims}
    for word, file in (("skin", "skin.tsv.gz"), ("high-dimensional", "prostate.npz")):
        chosen = [claim for words, claim in claims.items() if word in words]
        assert chosen
        assert all(claim.verdict is Verdict.UNTESTED and file in claim.why for claim in chosen)
    assert "both absent" in report.data
    for found in report.figures:
        with figure(None, found.size) as sheet:
            found.draw(sheet)
            assert all(ax.lines and ax.get_title() for ax in sheet.axes), found.name
    assert claims["All accuracies are around that of beta"].verdict is not Verdict.UNTESTED


@pytest.mark.slow
def test_the_rows_of_the_document(shared):
    """Table 2 as differences to beta, and the orders on many columns."""
    context = Context(data=str(shared), threads=2)
    draws = solver_outputs.draw_outputs(context)
    ours = (draws["accuracy"][..., :2] - draws["beta_accuracy"][:, None, None]).mean(axis=0)
    assert np.abs(ours - (solver_outputs.TABLE_2 - solver_sets.BETA_ACCURACY)).max() <= 0.014
    for data in solver_sets.all_sets(context)[0]:
        if data.kind == solver_sets.WIDE:
            shape = data.alpha, data.batch, data.epochs
            models = convergence.eight_algorithms(*shape)
            found = convergence.set_curves(data, models, context, "curves", convergence.CURVE_RUNS)
            orders = convergence.PERMUTATION, convergence.CYCLIC
            assert convergence.cost_ratio((found, found), orders, "visits").high < 1
            pegasos = convergence.PEGASOS, convergence.VANILLA
            assert convergence.cost_ratio((found, found), pegasos, "visits").low > 1
