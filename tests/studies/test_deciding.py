"""Verdicts by intervals, the same in all studies."""

import pytest

from fastsvm_apps.studies.frame.claim_judging import ENOUGH, Statistic, above, judge, typical
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


def test_one_draw_is_typical_of_many():
    assert typical(True, 2) == (Verdict.HELD, "")
    assert typical(False, 40) == (Verdict.NOT_HELD, "")
    assert typical(False, 39)[0] is Verdict.UNTESTED
