"""`compare`: several classifiers on the same splits."""

import sys
from collections import Counter

import click

from ...common.figures import check_picture
from ...common.options import COUNT, STRENGTH, CountOrAll, FiniteRange, json_option, seed_option
from ...common.output import (
    check_one_form,
    fields,
    note,
    note_skipped,
    print_heading,
    print_json,
    print_line,
    print_table,
    tidy_warnings,
)
from ...common.progress import Stages
from ...common.tables import csv_writer
from ..settings import Settings, spelled
from ._options import (
    K_HELP,
    NGRAMS_HELP,
    WEIGHTINGS,
    NGrams,
    command,
    corpus_options,
    score_option,
    tokens_option,
)


@command("compare data/reviews.txt", "compare reviews.csv.gz --runs 30 --plot comparison.png")
@corpus_options
@click.option(
    "--runs",
    type=COUNT,
    default=5,
    help="Splits into training and held-out texts; their seeds are --seed, --seed + 1, ...",
)
@click.option("--k", type=CountOrAll(), metavar="N|all", default="5000", help=f"Of the article: {K_HELP}")
@score_option
@click.option("--ngrams", type=NGrams(), metavar="N|A-B", default="1", help=f"Of the article: {NGRAMS_HELP}")
@tokens_option
@click.option(
    "--weighting",
    type=click.Choice(WEIGHTINGS),
    default="counts",
    help="Of the article: what a feature weighs.",
)
@click.option(
    "--alpha",
    type=STRENGTH,
    help="Of the article: strength of the L2 regularisation of those that have one.  "
    "[default: that of train for each; meant for counts]",
)
@click.option(
    "--literal",
    is_flag=True,
    help="Also train the article's classifiers to the letter, as train --recipe article-literal does, on its "
    "splits of the texts in their order.",
)
@click.option(
    "--holdout",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.2,
    help="Share of the texts to try the classifiers on.",
)
@click.option("--plot", metavar="FILE.png", help="Draw dots with intervals too (.png, .svg or .pdf).")
@click.option("--csv", is_flag=True, help="Print a CSV table, a row for each classifier.")
@seed_option
@json_option
def compare(source, runs, plot, csv, json, quiet, verbose, **options):
    """Compare what train makes by default with simpler classifiers, on the same splits of CORPUS.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped. The others: a
    plain logistic regression on tf-idf of single words, and the perceptron and the two forms of Pegasos, as
    `train --recipe article` has them. All that is learned is learned inside the training part of a split.
    """
    check_one_form(json, csv)
    settings = Settings(min_df=1, **options)
    from ..jobs import comparison
    from ..output import plots

    if plot:
        check_picture(plot)
    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = comparison.compare(source, settings, runs=runs, stage=stage)
        if plot:
            with stage("plot"):
                plots.plot_comparison(result, plot)
    if json:
        print_json(_record(result, settings, stage.seconds))
    elif csv:
        _print_csv(result)
    else:
        _print(result, source)
    for runs in result.results:
        if runs.stopped_short:
            note(
                f"note: the {runs.classifier} stopped short of the gap it aims at in {runs.stopped_short} of "
                f"{len(runs.accuracies)} runs"
            )
    return note_skipped(result.skipped)


def _record(result, settings: Settings, seconds: dict[str, float]) -> dict:
    return {
        **fields(result, "label_counts", "majority", "metric", "seeds"),
        "holdout": settings.holdout,
        "k": "all" if settings.k is None else settings.k,
        "score": settings.score,
        "ngrams": list(settings.ngrams),
        "tokens": result.tokens,
        "weighting": settings.weighting,
        **fields(result, "n_train", "n_test"),
        "n_features": result.results[-1].n_features,
        "interval": result.interval_kind,
        "classifiers": [
            {
                **_summary(runs),
                **fields(runs, "accuracies", "values", "seconds", "gaps", "alphas", "recipes", "n_features"),
            }
            for runs in result.results
        ],
        "skipped": result.skipped.count,
        "seconds": seconds,
    }


def _summary(runs) -> dict:
    (low, high), behind = runs.interval, runs.behind_best_interval or (None, None)
    return {
        **fields(runs, "classifier", "alpha", "accuracy", "value"),
        "accuracy_low": low,
        "accuracy_high": high,
        **fields(runs, "worst", "best", "behind_best"),
        "behind_best_low": behind[0],
        "behind_best_high": behind[1],
        "median_seconds": runs.median_seconds,
        "relative_gap": runs.gap,
        "stopped_short": runs.stopped_short,
        "recipe": _recipe(runs),
    }


def _recipe(runs) -> str:
    """Say in one line how a contender is made."""
    settings = runs.settings
    if runs.recipes:
        counts = Counter(runs.recipes).most_common()
        chosen = ", ".join(f"{name} in {count} of {len(runs.recipes)}" for name, count in counts)
        return f"what train chooses: {chosen}; {settings.classifier}"
    words = "words" if settings.ngrams == (1, 1) else f"{spelled(settings.ngrams)} words in a row"
    kept = "" if settings.k is None else f", the best {settings.k:,}"
    letter = ", to the letter of the article" if settings.literal else ""
    return f"{words}{kept}, weighed by {settings.weighting}; {settings.classifier}{letter}"


def _print_csv(result) -> None:
    rows = [_summary(runs) for runs in result.results]
    write = csv_writer(sys.stdout)
    write(rows[0])
    for row in rows:
        write(row.values())


def _print(result, source) -> None:
    n = sum(result.label_counts.values())
    splits = "1 split" if len(result.seeds) == 1 else f"{len(result.seeds):,} splits"
    print_line(
        f"{source.name}: {n:,} texts with {len(result.label_counts):,} labels, {splits} into "
        f"{result.n_train:,} to train on and {result.n_test:,} held out"
    )
    print_heading("Classifiers")
    metric = [] if result.metric == "accuracy" else [result.metric]
    header = (
        "classifier",
        "accuracy",
        "95 % interval",
        "worst",
        "best",
        *metric,
        "behind best",
        "CPU s",
        "gap",
    )
    print_table(header, [_cells(runs, bool(metric)) for runs in result.results])
    print_heading("How they are made")
    print_table(
        ("classifier", "recipe"),
        [(runs.classifier, _recipe(runs)) for runs in result.results],
        text_columns=(0, 1),
    )
    print_heading("How to read it")
    print_line(f"accuracy: the mean over the splits; always guessing one label gets {result.majority:.4f}")
    print_line(f"95 % interval: {result.interval_kind}")
    sure = "too few for an interval" if result.too_few else "and its 95 % interval, of the same kind"
    print_line(f"behind best: mean difference in {result.metric} on the same splits, {sure}")
    print_line("CPU s: from texts to a model, the median")
    print_line("gap: the largest; no weights have an objective lower by more than this share of it")


def _cells(runs, with_metric: bool) -> tuple[str, ...]:
    low, high = runs.interval
    behind = f"{runs.behind_best:.4f}" if runs.behind_best else "0"
    if runs.behind_best_interval:
        behind += " ({:.4f} to {:.4f})".format(*runs.behind_best_interval)
    return (
        runs.classifier,
        f"{runs.accuracy:.4f}",
        f"{low:.4f} to {high:.4f}",
        f"{runs.worst:.4f}",
        f"{runs.best:.4f}",
        *([f"{runs.value:.4f}"] if with_metric else []),
        behind,
        f"{runs.median_seconds:.3f}",
        "none" if runs.gap is None else f"{runs.gap:.1e}",
    )
