"""Verdicts by intervals, the same in all studies."""

import numpy as np
import pytest

from fastsvm_apps.studies.report.claim_judging import Statistic, above, judge, meets, of_a_draw, reaches
from fastsvm_apps.studies.report.study_report import Verdict


@pytest.mark.parametrize(
    ("region", "verdicts"),
    [
        (reaches(0.25), ("held, better", "held", "refuted")),
        (reaches(0.25, less=False), ("refuted", "held", "held, better")),
        (meets(0.25, 0.25), ("refuted", "held", "refuted")),
    ],
)
def test_a_number_of_the_document_is_reached_or_bettered(region, verdicts):
    for found, verdict in zip((0.15, 0.24, 0.35), verdicts, strict=True):
        claim = judge("", "", Statistic(found, found - 0.05, found + 0.05), region)
        assert claim.verdict == verdict.partition(",")[0]
        assert claim.why.startswith("Better than the document's.") is ("better" in verdict)


def test_a_draw_lies_among_95_percent_of_draws():
    values = np.random.default_rng(0).normal(size=(2000, 6))
    ranges = [of_a_draw(row[:5]) for row in values]
    inside = [s.low <= row[5] <= s.high for s, row in zip(ranges, values, strict=True)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)
    assert judge("", "", of_a_draw(values[0]), above(-99)).verdict is Verdict.HELD
