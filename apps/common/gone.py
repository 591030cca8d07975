"""Commands and options that were removed, each with what to use instead."""

# The key is a program, a command and, for an option, the option.
SUCCESSORS = {
    ("fastsvm-sentiment", "tune"): "train searches already; evaluate A B compares",
    ("fastsvm-sentiment", "compare"): "evaluate A B compares two models; train --cv 5 measures a recipe",
    (
        "fastsvm-sentiment",
        "train",
        "--recipe article-literal",
    ): "--recipe article is close; fastsvm-studies sentiment trains the article's own loops",
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
