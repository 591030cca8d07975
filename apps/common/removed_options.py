"""Commands and options that were removed, each with what to use instead."""

_TEXTS = {
    "--max-line-mib": "set the environment variable FASTSVM_MAX_LINE_MIB",
    "--max-expansion": "set the environment variable FASTSVM_MAX_EXPANSION",
    "--sep": "the separator is detected: a comma, a semicolon, a tab or |",
    "--tokens": "the format decides: the format corpus is already cut at blanks",
    "--keep-markup": "train decides; give train a --config FILE with keep-markup = true",
    "--raw-csv": "read the CSV table with a program that takes an apostrophe for a mark of text",
}
_TRAIN = {
    "--checkpoint": 'checkpoint = "FOLDER"',
    "--chars": 'chars = "1-5"; or --recipe nb-chars',
    "--epochs": "epochs = 100",
    "--keep-markup": "keep-markup = true",
    "--metric": 'metric = "macro-f1"',
    "--min-df": "min-df = 3",
    "--no-refit": "refit = false",
    "--tokens": 'tokens = "split"',
    "--weighting": 'weighting = "tfidf"; or --recipe tfidf-words',
}
_SERVE = ("--max-body-mib", "--max-texts", "--max-connections", "--timeout")

# The key is a program, a command and, for an option, the option.
SUCCESSORS = {
    **{
        ("fastsvm-sentiment", command, option): successor
        for command in ("train", "evaluate", "predict", "inspect", "explain")
        for option, successor in _TEXTS.items()
    },
    **{
        ("fastsvm-sentiment", "train", option): f"give --config FILE with {line}"
        for option, line in _TRAIN.items()
    },
    ("fastsvm-sentiment", "train", "--refit"): "train always does; --config FILE with refit = false does not",
    **{
        ("fastsvm-sentiment", "serve", option): "set the environment variable FASTSVM_SERVE"
        + option[1:].replace("-", "_").upper()
        for option in _SERVE
    },
    ("fastsvm-sentiment", "tune"): "train searches already; evaluate A B compares",
    ("fastsvm-sentiment", "compare"): "evaluate A B compares two models; train --cv 5 measures a recipe",
    (
        "fastsvm-sentiment",
        "train",
        "--recipe article-literal",
    ): "--recipe article is close; fastsvm-studies sentiment trains the article's own loops",
    ("fastsvm-cells", "steps"): "fastsvm-studies cells draws the steps from an image to a crop",
    ("fastsvm-cells", "sheet"): "classify --report shows the cells; crop writes them to files",
    ("fastsvm-cells", "classify", "--correct"): "corrected shares are always shown where they are known",
    ("fastsvm-cells", "classify", "--strict"): "the column flags names the images to leave out",
    ("fastsvm-cells", "classify", "--resume"): "the same command with -o resumes",
    ("fastsvm-cells", "classify", "--export-as"): "--export FILE.json is COCO; --export DIR is GeoJSON",
    ("fastsvm-cells", "classify", "--raw-csv"): "--json has the texts as they are",
    ("fastsvm-cells", "crop", "--raw-csv"): "classify --json has the texts as they are",
    ("fastsvm-cells", "crop", "--csv-only"): "-o FILE.csv writes only the table",
    ("fastsvm-cells", "crop", "--method"): "fastsvm-studies cells has the document's crops",
    ("fastsvm-cells", "crop", "--gray-negative"): "fastsvm-studies cells has the document's crops",
    ("fastsvm-cells", "crop", "--scheduler"): "classify --scheduler shares its work out; crop works alone",
    ("fastsvm-cells", "train", "--features"): "fastsvm-studies cells learns from pixels",
    ("fastsvm-cells", "train", "--pca"): "fastsvm-studies cells learns from principal components",
    ("fastsvm-cells", "train", "--no-intercept"): "fastsvm-studies cells learns without an intercept",
    ("fastsvm-cells", "train", "--epochs"): "training stops by itself, once its duality gap is small",
    ("fastsvm-cells", "evaluate", "--limit"): "--mistakes draws 100; --json lists all mistakes",
    ("fastsvm-cells", "review", "--limit"): "set FASTSVM_MAX_REVIEW_CELLS",
    **{
        ("fastsvm-studies", study, option): successor
        for study in ("all", "cells", "digits", "solvers", "sentiment", "kernels", "compare")
        for option, successor in {
            "--threads": "give --config FILE with threads = 2",
            "--fresh": "delete FOLDER/parts to compute all parts again",
        }.items()
    },
    **{
        (
            "fastsvm-studies",
            "compare",
            option,
        ): f"{successor}; fastsvm_apps.studies.race.compare does it in Python"
        for option, successor in {
            "--batch-size": "each step takes one row",
            "--no-intercept": "scores have an intercept",
            "--test": "a quarter of the rows is held out",
            "--holdout": "a quarter of the rows is held out",
            "--label-col": "the label is in the last column",
            "--seed": "the seeds are 0, 1, 2 and so on",
        }.items()
    },
    ("fastsvm-sentiment", "describe"): "inspect CORPUS shows the same",
    ("fastsvm-sentiment", "suspects"): "inspect CORPUS lists suspected labels",
    ("fastsvm-sentiment", "words"): "explain MODEL, without a text, shows the top words",
}


def farewell(*name: str) -> str | None:
    """Return the message for a removed command or option, or None for any other name.

    Examples
    --------
    >>> farewell("fastsvm-sentiment", "tune")
    'fastsvm-sentiment tune is gone: train searches already; evaluate A B compares'
    """
    successor = SUCCESSORS.get(name)
    return None if successor is None else f"{' '.join(name)} is gone: {successor}"
