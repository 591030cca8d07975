"""Commands and options that were removed, each with what to use instead."""

import click

READERS = "train evaluate predict inspect explain"  # of texts
STUDIES = "all cells digits solvers sentiment kernels compare"
IN_PYTHON = "; fastsvm_apps.studies.race.compare does it in Python"

# Of each program: commands, an option of theirs (none if the command itself is gone), and the successor.
REMOVED = {
    "fastsvm-sentiment": [
        ("tune", "", "train searches already; evaluate A B compares"),
        ("compare", "", "evaluate A B compares two models; train --cv 5 measures a recipe"),
        ("describe", "", "inspect CORPUS shows the same"),
        ("suspects", "", "inspect CORPUS lists suspected labels"),
        ("words", "", "explain MODEL, without a text, shows the top words"),
        (READERS, "--max-line-mib", "set the environment variable FASTSVM_MAX_LINE_MIB"),
        (READERS, "--max-expansion", "set the environment variable FASTSVM_MAX_EXPANSION"),
        (READERS, "--sep", "the separator is detected: a comma, a semicolon, a tab or |"),
        (READERS, "--tokens", "the format decides: the format corpus is already cut at blanks"),
        (READERS, "--keep-markup", "train decides; give train a --config FILE with keep-markup = true"),
        (
            READERS,
            "--raw-csv",
            "read the CSV table with a program that takes an apostrophe for a mark of text",
        ),
        ("train", "--checkpoint", 'give --config FILE with checkpoint = "FOLDER"'),
        ("train", "--chars", 'give --config FILE with chars = "1-5"; or --recipe nb-both'),
        ("train", "--epochs", "give --config FILE with epochs = 100"),
        ("train", "--keep-markup", "give --config FILE with keep-markup = true"),
        ("train", "--metric", 'give --config FILE with metric = "macro-f1"'),
        ("train", "--min-df", "give --config FILE with min-df = 3"),
        ("train", "--no-refit", "give --config FILE with refit = false"),
        ("train", "--refit", "train always does; --config FILE with refit = false does not"),
        ("train", "--tokens", 'give --config FILE with tokens = "split"'),
        ("train", "--weighting", 'give --config FILE with weighting = "tfidf"; or --recipe tfidf-both'),
        (
            "train",
            "--recipe article-literal",
            "--recipe article is close; fastsvm-studies sentiment trains the article's own loops",
        ),
        ("train", "--recipe nb-chars", "take --recipe nb-both, which counts words too"),
        ("train", "--recipe tfidf-chars", "take --recipe tfidf-both, which counts words too"),
        ("train", "--recipe tfidf-words", 'give --ngrams 2 and --config FILE with weighting = "tfidf"'),
        ("train", "--recipe tfidf-single-words", 'give --ngrams 1, and weighting = "tfidf" in --config FILE'),
        ("serve", "--max-body-mib", "set the environment variable FASTSVM_SERVE_MAX_BODY_MIB"),
        ("serve", "--max-texts", "set the environment variable FASTSVM_SERVE_MAX_TEXTS"),
        ("serve", "--max-connections", "set the environment variable FASTSVM_SERVE_MAX_CONNECTIONS"),
        ("serve", "--timeout", "set the environment variable FASTSVM_SERVE_TIMEOUT"),
    ],
    "fastsvm-cells": [
        ("steps", "", "fastsvm-studies cells draws the steps from an image to a crop"),
        ("sheet", "", "classify --report shows the cells; crop writes them to files"),
        ("classify", "--correct", "corrected shares are always shown where they are known"),
        ("classify", "--strict", "the column flags names the images to leave out"),
        ("classify", "--resume", "the same command with -o resumes"),
        ("classify", "--export-as", "--export FILE.json is COCO; --export DIR is GeoJSON"),
        ("classify", "--raw-csv", "--json has the texts as they are"),
        ("crop", "--raw-csv", "classify --json has the texts as they are"),
        ("crop", "--csv-only", "-o FILE.csv writes only the table"),
        ("crop", "--method", "fastsvm-studies cells has the document's crops"),
        ("crop", "--gray-negative", "fastsvm-studies cells has the document's crops"),
        ("crop", "--scheduler", "classify --scheduler shares its work out; crop works alone"),
        ("train", "--features", "fastsvm-studies cells learns from pixels"),
        ("train", "--pca", "fastsvm-studies cells learns from principal components"),
        ("train", "--no-intercept", "fastsvm-studies cells learns without an intercept"),
        ("train", "--epochs", "training stops by itself, once its duality gap is small"),
        ("evaluate", "--limit", "--mistakes draws 100; --json lists all mistakes"),
        ("review", "--limit", "set FASTSVM_MAX_REVIEW_CELLS"),
    ],
    "fastsvm-studies": [
        (STUDIES, "--threads", "give --config FILE with threads = 2"),
        (STUDIES, "--fresh", "delete FOLDER/parts to compute all parts again"),
        ("compare", "--batch-size", f"each step takes one row{IN_PYTHON}"),
        ("compare", "--no-intercept", f"scores have an intercept{IN_PYTHON}"),
        ("compare", "--test", f"a quarter of the rows is held out{IN_PYTHON}"),
        ("compare", "--holdout", f"a quarter of the rows is held out{IN_PYTHON}"),
        ("compare", "--seed", f"the seeds are 0, 1, 2 and so on{IN_PYTHON}"),
    ],
}
# The key is a program, a command and, for an option, the option.
SUCCESSORS = {
    (program, command, option) if option else (program, command): successor
    for program, rows in REMOVED.items()
    for commands, option, successor in rows
    for command in commands.split()
}


def removed_option_message(ctx: click.Context, option: str) -> str | None:
    """Return the message for a removed option of the running command, or None."""
    return removed_message(ctx.find_root().command.name, ctx.command.name, option)


def removed_message(*name: str) -> str | None:
    """Return the message for a removed command or option, or None for any other name.

    Examples
    --------
    >>> removed_message("fastsvm-sentiment", "tune")
    'fastsvm-sentiment tune is gone: train searches already; evaluate A B compares'
    """
    successor = SUCCESSORS.get(name)
    return None if successor is None else f"{' '.join(name)} is gone: {successor}"
