"""Verdicts by intervals, the same in all studies."""

import numpy as np
import pytest

from fastsvm_apps.studies.digits import digit_claims as digits
from fastsvm_apps.studies.digits.digit_experiments import METHODS, read_digits
from fastsvm_apps.studies.frame.claim_judging import ENOUGH, Statistic, above, judge, meets, typical
from fastsvm_apps.studies.frame.study_report import Verdict


@pytest.mark.parametrize(
    ("interval", "runs", "verdict"),
    [
        ((0.01, 0.04), 3, Verdict.HELD),
        ((-0.04, -0.01), 3, Verdict.NOT_HELD),
        ((-0.01, 0.02), ENOUGH, Verdict.NOT_HELD),
        ((-0.01, 0.02), ENOUGH - 1, Verdict.UNTESTED),
    ],
)
def test_an_interval_decides(interval, runs, verdict):
    claim = judge("", "", Statistic(sum(interval) / 2, *interval, runs), above(0))
    assert claim.verdict is verdict
    assert ("So few runs" in claim.why) is (verdict is Verdict.UNTESTED)


def test_few_runs_decide_nothing_about_cells():
    claim = judge("", "", Statistic(0.01, -0.02, 0.04, 3), above(0))
    assert claim.verdict is Verdict.UNTESTED
    assert claim.why == "Holds where the whole interval is above 0. So few runs (3) decide nothing."
    assert judge("", "", Statistic(0.01, -0.02, 0.04, 10), above(0)).verdict is Verdict.NOT_HELD
    assert judge("", "", Statistic(0.1, 0.05, 0.15, 3), meets(0.3, 0.3)).verdict is Verdict.NOT_HELD


def test_one_draw_is_typical_of_many():
    assert typical(True, 2) == (Verdict.HELD, "")
    assert typical(False, 40) == (Verdict.NOT_HELD, "")
    assert typical(False, 39)[0] is Verdict.UNTESTED


def test_few_draws_decide_nothing_about_digits():
    known = read_digits(None)._replace(original=True)
    tables = np.tile([[290, 10], [9, 291]], (len(METHODS), 3, 1, 1))
    tables[:, 0] = [[280, 20], [30, 270]]
    seconds = np.ones((2, 2, 1, 3)) * np.array([1.0, 3.0, 0.2])
    seconds[1] = 1
    pace = {"n": np.array([10]), "seconds": seconds, "reached": np.full(seconds.shape, True)}
    assert digits.dual(pace).verdict is Verdict.UNTESTED
    assert digits.asymmetry(known, tables[digits.PEGASOS]).verdict is Verdict.UNTESTED
    assert digits.among(known, "", "", 9.5, np.arange(10.0), "{:.1f}").verdict is Verdict.UNTESTED
