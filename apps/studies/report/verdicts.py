"""From comparisons to verdicts: one rule for all studies, fixed before anything is measured.

A claim is a line of `documents/claims.csv`: its words, where a number must lie for it to hold, and where it
stands in the document. It has no verdict: that comes from the runs.
"""

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from math import floor, inf, isfinite, log10, nextafter
from typing import NamedTuple

import numpy as np

from ...common.statistics import mean_interval, median_interval, wilson_interval


class Verdict(StrEnum):
    """What was found of a claim."""

    HELD = "held"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    UNTESTED = "cannot be tested"


RULES = {
    Verdict.HELD: "In every comparison the whole 95 % interval agrees with the claim. A published "
    "number counts as held if it lies in the interval, or if the whole interval is better.",
    Verdict.REFUTED: "In at least one comparison the whole interval contradicts the claim.",
    Verdict.UNDECIDED: "An interval contains the limit, and none contradicts the claim.",
    Verdict.UNTESTED: "Original data are missing, runs are too few, or the paper's axis shows no difference.",
    "conditions": "A claim is judged with the paper's own data, lambda, axis and implementation. Results "
    "under other conditions, such as compiled code, are listed as 'wider' and do not count.",
    "interval": "95 %, of the mean over runs; for times and ratios, of the median; in digits, of draws.",
    "alike": "Rates within 2 points, and amounts within a factor of 2.",
}
ALIKE = {"points": (-2.0, 2.0), "times": (0.5, 2.0)}  # the one margin of all studies
# By unit: the factor for a number, and its least and largest value, at which intervals end.
UNITS = {
    **{"%": (100, 0, 100), "points": (100, -100, 100), "times": (1, 0, inf), "ms": (1e3, 0, inf)},
    **{"share": (1, 0, 1), "difference": (1, -1, 1)},  # of tables
    **{"images": (1, 0, inf), "epochs": (1, 0, inf)},
}
WORST_FIRST = Verdict.REFUTED, Verdict.UNDECIDED, Verdict.UNTESTED, Verdict.HELD
DECIMALS = 8  # at most


class Statistic(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


Cases = Mapping[str, Statistic]  # by what is compared


class Found(NamedTuple):
    """What was measured of a claim.

    Attributes
    ----------
    document : mapping of str to Statistic, or str
        Under the document's conditions, by what is compared; or why nothing was measured.
    wider : mapping of str to Statistic, optional
        Under other conditions.
    """

    document: Cases | str
    wider: Cases | str = ""


def mean(values: np.ndarray, tested_share: float = 0.0) -> Statistic:
    """Return the mean of runs, or of their paired differences; over random splits, see `mean_interval`."""
    return Statistic(float(np.mean(values)), *mean_interval(values.tolist(), tested_share))


def median(values: np.ndarray) -> Statistic:
    """Return the median of runs, which may be infinite."""
    return Statistic(float(np.median(values)), *median_interval(values.tolist()))


def of_a_draw(values: np.ndarray) -> Statistic:
    """Return the mean of draws, and Student's interval of 95 % of single draws, such as the document's."""
    return mean(values, 1.0)


def share(holds: np.ndarray) -> Statistic:
    """Return how often something holds, with Wilson's interval."""
    return Statistic(float(holds.mean()), *wilson_interval(int(holds.sum()), len(holds)))


def exactly(value: float) -> Statistic:
    """Return a number without uncertainty."""
    return Statistic(value, value, value)


@dataclass(frozen=True)
class Region:
    """Where a number must lie for a claim to hold.

    Attributes
    ----------
    words : str
    low, high : float
        Limits, which belong to the region.
    touch : bool
        Whether an interval that only overlaps the region is enough: the rule for published numbers.
    """

    words: str
    low: float
    high: float
    touch: bool = False

    @classmethod
    def of(cls, text: str, unit: str) -> "Region":
        """Read a region: "above 1", "reaches 3.83 or less", "meets 293", "within 0.9 1.1", "alike"."""
        name, *rest = text.split()
        numbers = [float(word) for word in rest if word not in ("or", "less", "more")]
        low, high = (*numbers, *numbers)[:2] if numbers else ALIKE[unit]
        amount = f" {unit}" if unit in ("%", "ms") else ""
        limits = " and ".join(f"{_limit(number)}{amount}" for number in dict.fromkeys((low, high)))
        better = f"{limits} is in the interval, or the whole interval is {{}}, which is better"
        ends = {
            "above": (f"the whole interval is above {limits}", nextafter(low, inf), inf),
            "below": (f"the whole interval is below {limits}", -inf, nextafter(high, -inf)),
            "within": (f"the whole interval is between {limits}", low, high),
            "alike": (f"the whole interval is between {limits}", low, high),
            "meets": (f"the interval contains {limits}", low, high, True),
            "less": (better.format("below"), -inf, high, True),
            "more": (better.format("above"), low, inf, True),
        }
        words, *limited = ends[rest[-1] if name == "reaches" else name]
        return cls(f"Holds where {words}.", *limited)

    def verdict(self, s: Statistic) -> Verdict:
        """Judge by where the interval lies."""
        if s.low == -inf and s.high == inf:
            return Verdict.UNTESTED
        if s.high < self.low or s.low > self.high:
            return Verdict.REFUTED
        whole = self.low <= s.low and s.high <= self.high
        return Verdict.HELD if whole or self.touch else Verdict.UNDECIDED

    def slack(self, s: Statistic) -> float:
        """Return a number that is the smaller, the further the statistic lies from the claim."""
        low, high = (s.high, s.low) if self.touch else (s.low, s.high)
        return min(low - self.low, self.high - high)


@dataclass(frozen=True)
class Claim:
    """A claim of a document: a line of `documents/claims.csv`.

    Attributes
    ----------
    study, name : str
    words : str
        The claim, in short.
    document : str
        The document's number, and where it stands ("figure 4").
    data : str
        The data set of the document that it is about ("usps"); "": none, or simulated rows.
    region : Region
    unit : str
    why : str
        The reason for the region, a sentence.
    question : str
        The question that claims of several studies answer; their verdicts must not contradict.
    """

    study: str
    name: str
    words: str
    document: str
    data: str
    region: Region
    unit: str
    why: str
    question: str


@cache
def claims_of(study: str) -> tuple[Claim, ...]:
    """Return the claims of a document, in its order."""
    source = resources.files(__package__.rpartition(".")[0]).joinpath("documents", "claims.csv")
    with source.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] == study]
    return tuple(Claim(**row | {"region": Region.of(row["region"], row["unit"])}) for row in rows)


def judge(claim: Claim, found: Found, originals: Collection[str]) -> dict:
    """Judge a claim by what was found: the document's own conditions decide.

    Parameters
    ----------
    claim : Claim
    found : Found
    originals : collection of str
        The documents' data sets that the runs used; a claim about another one cannot be tested.

    Returns
    -------
    dict
        The claim with its verdict. here, wider: what was measured under the document's conditions, and under
        others, with a verdict of its own. cases: all comparisons, each with "document" or "wider", what is
        compared, value, low and high in the claim's unit, and its verdict.
    """
    decided, said, rows = {}, {}, []
    for column, measured in found._asdict().items():
        if measured and not isinstance(measured, str):
            cases = {where: in_unit(s, claim.unit) for where, s in measured.items()}
            verdicts = {where: claim.region.verdict(s) for where, s in cases.items()}
            decided[column] = min(verdicts.values(), key=WORST_FIRST.index)
            said[column] = _said(claim, cases, verdicts)
            rows += [(column, where, *s, str(verdicts[where])) for where, s in cases.items()]
    verdict, why = decided.get("document", Verdict.UNTESTED), f"{claim.region.words} {claim.why}".strip()
    if claim.data and claim.data not in originals:
        verdict, why = Verdict.UNTESTED, f"The claim is about {claim.data}, which these runs did not use."
    elif "document" not in said:
        why = str(found.document)
    elif verdict is Verdict.UNTESTED:
        why = "An interval of a median needs six runs."
    wider = f"{decided['wider']}; {said['wider']}" if "wider" in said else str(found.wider or "")
    return {
        **{"name": claim.name, "question": claim.question, "verdict": str(verdict), "claim": claim.words},
        **{"document": claim.document, "here": said.get("document", ""), "wider": wider, "why": why},
        "cases": rows,
    }


def judge_all(study: str, found: Mapping[str, Found], originals: Collection[str]) -> list[dict]:
    """Judge all claims of a study; `found` must have exactly these."""
    claims = claims_of(study)
    if wrong := {claim.name for claim in claims} ^ found.keys():
        raise ValueError(f"claims.csv and the findings have different claims: {', '.join(sorted(wrong))}")
    return [judge(claim, found[claim.name], originals) for claim in claims]


def in_unit(s: Statistic, unit: str) -> Statistic:
    """Return a statistic in the unit of a claim, its interval within what is possible."""
    factor, least, most = UNITS.get(unit, (1, -inf, inf))
    return Statistic(*(min(max(factor * each, least), most) if isfinite(each) else each for each in s))


def _said(claim: Claim, cases: Cases, verdicts: Mapping[str, Verdict]) -> str:
    """Say what the comparisons found; of several, how many hold, and the furthest from the claim."""
    worst = min(cases, key=lambda w: (WORST_FIRST.index(verdicts[w]), claim.region.slack(cases[w])))
    text = f"{worst}: {written(cases[worst], claim.unit)}" if worst else written(cases[worst], claim.unit)
    if len(cases) == 1:
        return text
    held = [*verdicts.values()].count(Verdict.HELD)
    return f"{held} of {len(cases)} comparisons hold; weakest: {text}"


def written(s: Statistic, unit: str = "") -> str:
    """Write a statistic with its interval, to two digits of the uncertainty."""
    if unit == "times" and not 0 < s.value < inf:
        if s.low == inf or s.high == 0:
            return "only the second gets there" if s.low == inf else "only the first gets there"
        which = "first" if s.value == 0 else "second"
        return f"most often only the {which} gets there ({_ends(s, 2)})"
    half, size = (s.high - s.low) / 2, abs(s.value)
    is_exact = half <= size * 1e-9  # but for rounding
    spread = half if half < inf and not is_exact else size
    decimals = min(max(1 - floor(log10(spread)), 0), DECIMALS) if 0 < spread < inf else 2
    text = f"{s.value:,.{decimals}f}{f' {unit}' if unit else ''}"
    return text if is_exact else f"{text} ({_ends(s, decimals)})"


def _ends(s: Statistic, decimals: int) -> str:
    """Write an interval, without an upper end if some runs never get there, or ends if runs are few."""
    if s.high == inf:
        return "too few runs" if s.low == -inf else f"{s.low:,.{decimals}f} or more"
    return f"{s.low:,.{decimals}f} to {s.high:,.{decimals}f}"


def _limit(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"
