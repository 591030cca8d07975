"""The claims of the document on blood cells: each a row, with the statistic and the region that decide."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from ...race.cost_to_level import level_beyond_an_epoch
from ...report.claim_judging import (
    FEW_RUNS,
    Statistic,
    above,
    alike,
    judge,
    mean,
    median,
    meets,
    over_splits,
    reaches,
    show_ratio,
    untested,
)
from ...report.study_report import Claim
from .cell_experiments import (
    FEATURES,
    PEGASOS,
    RAW,
    SDCA_LABEL,
    SOLVERS,
    STARTED,
    WHITENED,
    CellCurves,
    CellErrors,
    Traces,
)

NEAR_SHARE = 0.01  # of P*: what counts as converged
SAME = 0.01  # of the test error: what counts as no difference
ROUGHLY = 0.2  # of a number that is "about" so large
FAR = 2.0  # times: "far faster"
DRAWS = 1000  # of runs with replacement, for an interval of what has no formula
SLOW = "Some runs did not get to 1 % of the optimum, or to the first tenth of that which one epoch is above."
DRAWN = "The document's number is of its photographs; these images are drawn."
FEW = "There are too few originals for folds that share none."


def seconds_to(curves: CellCurves, level: float) -> np.ndarray:
    """Return each run's CPU seconds to the first epoch with an objective of `level` or less, or infinity."""
    there = curves.primal <= level
    first = there.argmax(axis=1)
    return np.where(there.any(axis=1), curves.seconds[np.arange(len(there)), first], np.inf)


def seconds_of_epoch(curves: CellCurves) -> np.ndarray:
    """Return each run's CPU seconds of an epoch, on average."""
    return curves.seconds[:, -1] / curves.seconds.shape[1]


def settled(error: np.ndarray) -> np.ndarray:
    """Return from which epoch on each curve of test errors stays within `SAME` of its end."""
    away = np.abs(error - error[:, -1:]) > SAME + 1e-9
    return np.where(away.any(axis=1), away.shape[1] - away[:, ::-1].argmax(axis=1), 0) + 1


def settling(curves: CellCurves) -> Statistic:
    """Return from which epoch on the runs' mean test error is settled; the interval is of drawn runs."""
    runs = len(curves.error)
    drawn = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), DRAWS)
    low, high = np.quantile(settled(drawn @ curves.error / runs), (0.025, 0.975))
    epoch = settled(curves.error.mean(axis=0, keepdims=True))[0]
    return Statistic(float(epoch), float(low), float(high))


def slowness(trace: dict[str, CellCurves], slow: str, fast: str) -> Statistic | str:
    """Return how many times as long one solver takes to 1 % of P* as another, or why that is unknown."""
    excess = [trace[label].excess for label in (slow, fast)]
    level = (1 + level_beyond_an_epoch(*excess, level=NEAR_SHARE)) * trace[slow].optimum
    times = [seconds_to(trace[label], level) for label in (slow, fast)]
    if np.isinf(times).all(axis=0).any():
        return SLOW
    found = median(times[0] / times[1])
    return found if np.isfinite(found[1:3]).any() else FEW_RUNS


def claims(
    traces: Traces, at_random: CellErrors, grouped: CellErrors | None, photographs: bool
) -> list[Claim]:
    """Judge all claims; whether the images are the document's matters: of others its errors say nothing."""
    errors = levels(at_random, photographs) + gains(at_random, grouped)
    return [*speed(traces), *errors, *curves(traces)]


def beside(claim: Claim, checked: Claim) -> Claim:
    """Return a claim, with what checked labels make of it in its last sentence."""
    said = f"{checked.ours}, {checked.verdict}" if checked.ours else checked.verdict
    return replace(claim, why=f"{claim.why} With checked labels: {said}.")


# fmt: off
def speed(traces: Traces) -> list[Claim]:
    """Judge the claims about speed."""
    raw, pca = traces[RAW], traces[WHITENED]
    epoch = median(seconds_of_epoch(pca[SDCA_LABEL]) / seconds_of_epoch(pca[PEGASOS]))
    last = raw[SDCA_LABEL].primal.shape[1] - 1
    lead = (raw[PEGASOS].primal[:, last] - raw[SDCA_LABEL].primal[:, last]) / raw[PEGASOS].optimum
    about_3 = meets(3 * (1 - ROUGHLY), 3 * (1 + ROUGHLY))
    return [judge(*row) for row in (
        ("Raw crops: Pegasos takes about 3 times as long as SDCA to converge (to 1 % of P*)",
         "about 3 (figure 2a)", slowness(raw, PEGASOS, SDCA_LABEL), about_3, " times"),
        ("Raw crops: so it does against SDCA with an SGD start",
         "about 3 (figure 2a)", slowness(raw, PEGASOS, STARTED), about_3, " times"),
        ("Raw crops: SDCA is the more precise: after as many epochs its loss is lower (by so much of P*)",
         "conclusions", mean(100 * lead), above(0), " %"),
        ("PCA: Pegasos' epochs are way faster (an epoch of SDCA / one of Pegasos)",
         "figure 3a", epoch, above(FAR), " times"),
        ("PCA: Pegasos performs way better than SDCA (time of SDCA / that of Pegasos, beyond an epoch)",
         "conclusions", slowness(pca, SDCA_LABEL, PEGASOS), above(FAR), show_ratio),
    )]


def levels(at_random: CellErrors, photographs: bool) -> list[Claim]:
    """Judge the errors that the document gives."""
    found = [
        judge(f"Test error of SDCA, {words}, random split", f"{number:.3f}",
              over_splits(at_random.of(feature), at_random.sizes),
              reaches(number))
        for feature, number, words in ((RAW, 0.263, "raw crops"), (WHITENED, 0.206, "PCA with 40 components"))
    ]
    return found if photographs else [untested(claim, DRAWN) for claim in found]


def gains(at_random: CellErrors, grouped: CellErrors | None) -> list[Claim]:
    """Judge what components gain."""
    return [
        judge(f"PCA lowers the test error (raw - whitened PCA of SDCA), {split}", ".263 - .206 = .057",
              over_splits(errors.of(RAW) - errors.of(WHITENED), errors.sizes) if errors else FEW, above(0))
        for errors, split in ((at_random, "random splits"),
                              (grouped, "folds that share no copies of an original"))
    ]


def widest(values: Sequence[np.ndarray]) -> Statistic:
    """Return, of the paired differences of all pairs, that whose interval reaches furthest."""
    differences = [mean(one - other) for one, other in combinations(values, 2)]
    return max(differences, key=lambda s: max(-s.low, s.high))


def curves(traces: Traces) -> list[Claim]:
    """Judge the claims about losses and errors by the epoch."""
    last = {name: [trace[label].error[:, -1] for label in SOLVERS] for name, trace in traces.items()}
    raw = traces[RAW]
    starts = {
        feature: [trace[label].primal[:, 0] / trace[label].optimum for label in (SDCA_LABEL, STARTED)]
        for feature, trace in traces.items()
    }
    settles = f"(epoch from which on the mean test error stays within {SAME:g} of the last)"
    return [judge(*row) for row in (
        ("Raw crops: all three score alike (largest difference of their test errors)",
         ".263 and .264", widest(last[RAW]), alike(SAME)),
        ("PCA: all three score alike (largest difference of their test errors)",
         ".206 and .207; figure 3b", widest(last[WHITENED]), alike(SAME)),
        *((f"The SGD start lowers the loss after the first epoch, {feature} (without - with, of P*)",
           "figures 2a and 3a", mean(100 * (starts[feature][0] - starts[feature][1])), above(0), " %")
          for feature in FEATURES),
        ("Raw crops: the SGD start does not change the test error (without - with)",
         "the same (figure 2b)", mean(raw[SDCA_LABEL].error[:, -1] - raw[STARTED].error[:, -1]), alike(SAME)),
        (f"Raw crops: SDCA is at its best score after 2 epochs {settles}",
         "2 (figure 2b)", settling(raw[SDCA_LABEL]), reaches(2)),
        (f"Raw crops: Pegasos is stable at about its 4th epoch {settles}",
         "4 (figure 2b)", settling(raw[PEGASOS]), meets(3, 5)),
    )]
