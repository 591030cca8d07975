"""The claims about what is returned: averaging, projection and table 2."""

import numpy as np

from ...report.claim_judging import (
    Statistic,
    above,
    below,
    fixed,
    judge,
    mean,
    median,
    meets,
    of_a_draw,
    spelled,
    within,
)  # fmt: skip
from ...report.study_report import Claim
from .document_solvers import PROJECTIONS
from .solver_experiments import OUTPUTS, Draws, directions
from .solver_sets import BETA_ACCURACY

LAST, TAIL = OUTPUTS.index("last"), OUTPUTS.index("tail")
# The document's table 2: accuracy of the last and of the averaged output, in the order of `Draws.names`.
TABLE_2 = np.array(
    [(0.863, 0.872), (0.881, 0.875), (0.872, 0.875), (0.866, 0.863),
     (0.860, 0.869), (0.869, 0.875), (0.881, 0.866), (0.872, 0.878)]
)  # fmt: skip
AROUND = float(np.abs(TABLE_2 - BETA_ACCURACY).max())  # what the document calls "around this value"
MUCH_CLOSER = 0.9  # times the distance to beta
REAL = 0.5  # of the document's differences, that must come back for them to be the algorithms' own
SIMILAR = 0.1  # length between unit vectors, 6 degrees
DIFFERENCE, SHARE = (spelled(format, ends="[{}, {}]") for format in ("+.4f", ".2f"))


def output_claims(draws: Draws) -> list[Claim]:
    """Judge all of them."""
    return [*_averaging_claims(draws), *_projection_claims(draws), *_table_2_claims(draws)]


# fmt: off
def _averaging_claims(draws: Draws) -> list[Claim]:
    def each(values: np.ndarray, statistic) -> dict[str, Statistic]:
        return {name: statistic(values[:, k]) for k, name in enumerate(draws.names)}

    def changed(values: np.ndarray) -> dict[str, Statistic]:
        return each(values[..., TAIL] / values[..., LAST], median)

    gains = draws.accuracy[..., TAIL] - draws.accuracy[..., LAST]
    theirs = TABLE_2[:, 1] - TABLE_2[:, 0]
    spread = gains.std(axis=0, ddof=1).mean()
    return [
        judge("Averaging the output makes no difference to the accuracy",
              f"table 2: {theirs.min():+.3f} to {theirs.max():+.3f}", each(gains, mean), meets(0, 0),
              DIFFERENCE,
              why=f"On a single draw such a difference varies by {spread:.3f} (standard deviation)."),
        judge("Averaging does not bring the coefficients much closer to beta",
              "figure 7", changed(draws.distance), above(MUCH_CLOSER), SHARE,
              why=f"Distances between directions, averaged / last; much closer: below {MUCH_CLOSER:g}."),
        judge("Averaging does not matter to the objective",
              "conclusion", changed(draws.excess), within(MUCH_CLOSER, 1 / MUCH_CLOSER), SHARE,
              why="What is left above P*, as a share of what is left without averaging."),
    ]


def _projection_claims(draws: Draws) -> list[Claim]:
    pairs = [(draws.names.index(plain), draws.names.index(other)) for plain, other in PROJECTIONS.items()]
    theirs = [f"{TABLE_2[other, 1] - TABLE_2[plain, 1]:+.3f}" for plain, other in pairs]
    unit = directions(draws.coef[:, :, LAST])
    accuracy = draws.accuracy[..., TAIL]
    return [
        judge("The projection improves the accuracy of Pegasos' averaged output",
              f"table 2: {' and '.join(theirs)}",
              {draws.names[plain]: mean(accuracy[:, other] - accuracy[:, plain]) for plain, other in pairs},
              above(0), DIFFERENCE, why="Paired differences, projected minus plain."),
        judge("The coefficients are very similar with and without projection", "figure 7",
              {draws.names[plain]: median(np.linalg.norm(unit[:, plain] - unit[:, other], axis=-1))
               for plain, other in pairs}, below(SIMILAR), SHARE,
              why=f"Distances between directions; very similar: below {SIMILAR:g}, which is 6 degrees."),
    ]


def _table_2_claims(draws: Draws) -> list[Claim]:
    """Compare with table 2: both as differences to the accuracy of beta."""
    theirs = TABLE_2 - BETA_ACCURACY
    found = draws.accuracy[..., [LAST, TAIL]] - draws.beta_accuracy[:, None, None]
    inside = sum(s.low <= number <= s.high for s, number in zip(
        map(of_a_draw, found.reshape(len(found), -1).T), theirs.ravel(), strict=True))
    nearest = np.abs(found.mean(axis=0) - theirs).max()
    return [
        judge("All accuracies are around that of beta", f"table 2: within {AROUND:.3f}",
              {f"{name}, {word}": mean(found[:, k, m])
               for k, name in enumerate(draws.names) for m, word in enumerate(("last", "averaged"))},
              within(-AROUND, AROUND), DIFFERENCE, why="The case shown is the furthest."),
        judge("Table 2 comes out again", "16 accuracies", fixed(inside),
              within(0.95 * theirs.size - 1, theirs.size),
              ours=f"{inside} of {theirs.size} differences to beta are where 95 % of our draws are; means "
                   f"are within {nearest:.3f} of the document's",
              why="The document has one draw of the rows; one cell in twenty may lie outside, and one more."),
        judge("Table 2's differences between the algorithms are real",
              f"table 2: {TABLE_2.min():.3f} to {TABLE_2.max():.3f}",
              {"share that comes back": mean(_least_squares_slopes(theirs, found))}, above(REAL), SHARE,
              why="Slope of ours against the document's: 1 if its differences come back, 0 if they were "
                  "noise."),
    ]
# fmt: on


def _least_squares_slopes(theirs: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return each draw's least-squares slope of its accuracies against the document's."""
    centred = theirs - theirs.mean()
    return (found * centred).sum(axis=(1, 2)) / (centred**2).sum()
