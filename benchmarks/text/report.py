"""Tables of the programs' figures."""

import numpy as np

from ..common import spread

OURS = "fastsvm"


def columns(rounds):
    """The figures of all rounds, an array for each."""
    return {key: np.array([figures[key] for figures in rounds]) for key in rounds[0]}


def _range_of(key):
    return lambda of: spread(of[key]).strip()


def _median_of(key, digits=2, scale=1.0):
    return lambda of: f"{np.median(of[key] * scale):.{digits}f}"


# Of each table: what stands behind the corpus, its columns, and of which figure it has ratios to ours.
TRAININGS = "", {
    "accuracy": lambda of: f"{of['accuracy'].mean():.4f}",
    "train, s": _range_of("train wall"),
    "converting": _median_of("train converting"),
    "imports": _median_of("imports wall"),
    "CPU, s": _median_of("train cpu"),
    "peak, MB": _median_of("train peak", 0, 1e-6),
    "above imports": lambda of: f"{np.median(of['train peak'] - of['imports peak']) / 1e6:.0f}",
    "model, MB": _median_of("model", 1, 1e-6),
}, "train wall"  # fmt: skip
PREDICTIONS = "", {
    "predict, s": _range_of("predict wall"),
    "converting": _median_of("predict converting"),
    "CPU, s": _median_of("predict cpu"),
    "peak, MB": _median_of("predict peak", 0, 1e-6),
    "one text, s": _median_of("one wall"),
}, "predict wall"  # fmt: skip
TRAINING_WORK = ", CPU beyond the start", {"train, s": _range_of("train work")}, "train work"
PREDICTION_WORK = ", CPU beyond one text", {"predict, s": _range_of("predict work")}, "predict work"
TABLES = TRAININGS, PREDICTIONS, TRAINING_WORK, PREDICTION_WORK


def table(corpus, figures, title, columns, key):
    """Rows of a table: a contender each, with its times over those of each of ours, round by round."""
    ours = {name.removeprefix(OURS).strip(" ,-"): of for name, of in figures.items() if name.startswith(OURS)}
    rows = [[corpus + title, *columns, *(f"/ {name}" for name in ours)]]
    for name, of in figures.items():
        ratios = [f"{np.median(of[key] / own[key]):.2f}" for own in ours.values()]
        rows.append([name, *(column(of) for column in columns.values()), *ratios])
    return rows
