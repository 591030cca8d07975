"""Tables of the programs' figures."""

import numpy as np

from ..common import spread

OURS = "fastsvm"


def columns(rounds):
    """The figures of all rounds, an array for each."""
    return {key: np.array([figures[key] for figures in rounds]) for key in rounds[0]}


def trainings(corpus, figures):
    """From the file to the model."""
    ratios = _ratios(figures, "train wall")
    heads = (
        "accuracy",
        "train, s",
        "converting",
        "imports",
        "CPU, s",
        "peak, MB",
        "above imports",
        "model, MB",
    )
    rows = [[corpus, *heads, *ratios]]
    for name, of in figures.items():
        accuracy = f"{of['accuracy'].mean():.4f}"
        seconds = [_median(of[key]) for key in ("train converting", "imports wall", "train cpu")]
        above = of["train peak"] - of["imports peak"]
        memory = [_median(value, 0) for value in (of["train peak"] / 1e6, above / 1e6)]
        model = _median(of["model"] / 1e6, 1)
        line = [accuracy, spread(of["train wall"]).strip(), *seconds, *memory, model]
        rows.append([name, *line, *(column[name] for column in ratios.values())])
    return rows


def predictions(corpus, figures):
    """From the file of all texts, and of one, to labels."""
    ratios = _ratios(figures, "predict wall")
    rows = [[corpus, "predict, s", "converting", "CPU, s", "peak, MB", "one text, s", *ratios]]
    for name, of in figures.items():
        seconds = [_median(of[key]) for key in ("predict converting", "predict cpu")]
        line = [spread(of["predict wall"]).strip(), *seconds, _median(of["predict peak"] / 1e6, 0)]
        line.append(_median(of["one wall"]))
        rows.append([name, *line, *(column[name] for column in ratios.values())])
    return rows


def work(corpus, figures):
    """CPU time of a training without that of the imports, of predictions without that of one text."""
    rows = [[f"{corpus}, CPU beyond the start"]]
    rows += [[name] for name in figures]
    for task in "train", "predict":
        ratios = _ratios(figures, f"{task} work")
        rows[0] += [f"{task}, s", *ratios]
        for row, (name, of) in zip(rows[1:], figures.items(), strict=True):
            row += [spread(of[f"{task} work"]).strip(), *(column[name] for column in ratios.values())]
    return rows


def _ratios(figures, key):
    """Columns: how many times as long as each of our own a contender takes, the median of all rounds."""
    return {
        f"/ {ours.removeprefix(OURS).strip(' ,-')}": {
            name: _median(of[key] / own[key]) for name, of in figures.items()
        }
        for ours, own in figures.items()
        if ours.startswith(OURS)
    }


def _median(values, digits=2):
    return f"{np.median(values):.{digits}f}"
