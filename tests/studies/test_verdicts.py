"""Verdicts by intervals, the same in all studies, and what the pages of the documentation say."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from fastsvm_apps.studies.commands.study_commands import STUDIES
from fastsvm_apps.studies.report.verdicts import (
    ALIKE,
    Claim,
    Found,
    Region,
    Statistic,
    Verdict,
    claims_of,
    judge,
    of_a_draw,
    written,
)

DOCS = Path(__file__).parents[2] / "docs" / "studies"


def judged(region, unit, *cases, wider=(), data="", originals=()):
    claim = Claim("", "", "", "", data, Region.of(region, unit), unit, "", "")
    named = [{str(k): Statistic(*case) for k, case in enumerate(each)} for each in (cases, wider)]
    return judge(claim, Found(*named), originals)


@pytest.mark.parametrize(
    ("region", "verdicts"),
    [
        ("reaches 25 or less", ("held", "held", "refuted")),
        ("reaches 25 or more", ("refuted", "held", "held")),
        ("meets 25", ("refuted", "held", "refuted")),
        ("above 25", ("refuted", "undecided", "held")),
        ("within 28 45", ("refuted", "undecided", "held")),
    ],
)
def test_a_verdict_is_where_the_interval_lies(region, verdicts):
    for value, verdict in zip((0.15, 0.24, 0.35), verdicts, strict=True):
        assert judged(region, "%", (value, value - 0.05, value + 0.05))["verdict"] == verdict


def test_the_document_decides_and_the_weakest_of_its_comparisons():
    assert judged("alike", "points", (0.01, 0, 0.019), wider=[(0.3, 0.2, 0.4)])["verdict"] == Verdict.HELD
    found = judged("alike", "times", (1, 0.9, 1.1), (3, 2.5, 3.5))
    assert (found["verdict"], found["here"]) == (
        "refuted",
        "1 of 2 comparisons hold; weakest: 1: 3.00 times (2.50 to 3.50)",
    )
    assert judged("above 0", "", (1, -np.inf, np.inf))["verdict"] == Verdict.UNTESTED
    assert judged("above 0", "", (1, 1, 1), data="usps")["verdict"] == Verdict.UNTESTED
    assert judged("above 0", "", (1, 1, 1), data="usps", originals=["usps"])["verdict"] == Verdict.HELD


def test_intervals_of_rates_end_where_rates_do():
    assert judged("above 50", "%", (0.99, 0.95, 1.03))["cases"] == [("document", "0", 99, 95, 100, "held")]
    assert judged("reaches 2 or less", "images", (0.3, -0.7, 1.4))["here"] == "0: 0.30 images (0.00 to 1.40)"
    second = "most often only the second gets there"
    for value, text in (np.inf, second), (4, "4.0 times"):
        low = "3.00" if value == np.inf else "3.0"
        assert written(Statistic(value, 3, np.inf), "times") == f"{text} ({low} or more)"
    assert written(Statistic(1, -np.inf, np.inf)) == "1.0 (too few runs)"


def test_a_draw_lies_among_95_percent_of_draws():
    values = np.random.default_rng(0).normal(size=(2000, 6))
    ranges = [of_a_draw(row[:5]) for row in values]
    inside = [s.low <= row[5] <= s.high for s, row in zip(ranges, values, strict=True)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_alike_has_one_margin():
    for claim in (claim for study in STUDIES for claim in claims_of(study)):
        if claim.region.low in {low for low, _ in ALIKE.values()} or "alike" in claim.words.lower():
            assert (claim.region.low, claim.region.high) in ALIKE.values(), claim


def test_studies_do_not_contradict_each_other():
    records = [json.loads((DOCS / study / "report.json").read_text()) for study in STUDIES]
    said = defaultdict(set)
    for claim in (claim for record in records for claim in record["claims"]):
        said[claim["question"]].add(claim["verdict"])
    assert len(said) > 1, "no claim has a question"
    for question in said.keys() - {""}:
        assert not said[question] >= {"held", "refuted"}, question
