"""What `tune` prints: tables for people, records for --json and --csv."""

import sys

from ...common.output import fields, print_heading, print_line, print_table, print_times
from ...common.tables import csv_writer
from ..data.corpus import Source
from ..jobs.tuning import Tuning, shared
from ..learning.search import Trial
from ..settings import spelled
from .tables import print_scores

COLUMNS = ("n", "weighting", "ngrams", "chars", "k", "alpha", "mean", "deviation", "low", "high", "gap")


def tuning_record(result: Tuning, seconds: dict[str, float]) -> dict:
    """Return what `tune --json` prints."""
    scores = result.scores
    return {
        "config": result.config,
        **shared(result.settings),
        **fields(result, "folds", "label_counts", "n_train", "n_test", "ended"),
        "best": _record(result.best),
        "accuracy": None if scores is None else scores.accuracy,
        "accuracy_interval": None if scores is None else list(scores.interval),
        "trials": [_record(trial) for trial in _trials(result)],
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def print_trials_csv(result: Tuning) -> None:
    """Print a CSV table of every recipe at every alpha, the best first."""
    write = csv_writer(sys.stdout)
    folds = [f"fold {i + 1}" for i in range(result.folds)]
    write((*COLUMNS, *folds))
    for trial in _trials(result):
        record = _record(trial)
        write((*(record[name] for name in COLUMNS), *record["scores"]))


def print_tuning(result: Tuning, seconds: dict[str, float], source: Source) -> None:
    """Print what `tune` found."""
    n = result.n_train + result.n_test
    print_line(
        f"{source.name}: {n:,} texts, {result.n_train:,} in {result.folds} folds "
        f"and {result.n_test:,} held out"
    )
    sizes = dict.fromkeys(candidate.n for candidate in result.candidates)
    how = {"timeout": "; the time was up", "interrupt": "; interrupted"}.get(result.ended, "")
    print_heading(f"Recipes, each at its best alpha{how}")
    header = ("weighting", "words", "characters", "k", "alpha", result.settings.metric, "sd", "95 % interval")
    for n in sizes:
        if len(sizes) > 1:
            print_line(f"on {n:,} texts")
        print_table(header, [_row(each.best) for each in result.candidates if each.n == n])
    print_heading("The first of them on the held-out texts")
    if result.scores:
        print_scores(result.scores)
    else:
        print_line("none: --holdout 0 searches on every text")
    print_times(seconds)
    print_heading("Config", result.config)


def _trials(result: Tuning) -> list[Trial]:
    trials = [trial for candidate in result.candidates for trial in candidate.trials]
    return sorted(trials, key=lambda trial: (-trial.n, -trial.mean))


def _record(trial: Trial) -> dict:
    settings = trial.settings
    low, high = trial.interval
    return {
        "weighting": settings.weighting,
        "ngrams": spelled(settings.ngrams, "none"),
        "chars": spelled(settings.chars, "none"),
        "k": "all" if settings.k is None else settings.k,
        **fields(trial, "n", "alpha", "mean", "deviation"),
        "low": low,
        "high": high,
        "gap": trial.gap,
        "scores": trial.scores.tolist(),
    }


def _row(trial: Trial) -> tuple[str, ...]:
    settings = trial.settings
    low, high = trial.interval
    return (
        settings.weighting,
        spelled(settings.ngrams, "none"),
        spelled(settings.chars, "none"),
        "all" if settings.k is None else f"{settings.k:,}",
        f"{trial.alpha:.3g}",
        f"{trial.mean:.4f}",
        f"{trial.deviation:.4f}",
        f"{low:.4f} to {high:.4f}",
    )
