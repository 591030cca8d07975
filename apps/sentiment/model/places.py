"""Where the terms of a text are: words in a row, and characters inside words."""

import re
from bisect import bisect_left
from collections.abc import Container, Iterator
from itertools import accumulate
from typing import NamedTuple

from .languages import is_unsegmented

PIECES = re.compile(r"&#?\w+;|.", re.DOTALL)  # an entity becomes one character; tags keep their length

Occurrences = dict[str, list[list[int]]]  # of a term: each time that it occurs, the tokens it lies in


class Token(NamedTuple):
    """A word that is `text[start:stop]`, or a character where no blanks stand between words."""

    token: str
    start: int
    stop: int


def places(vectorizer, text: str, known: Container[str]) -> tuple[list[Token], Occurrences]:
    """Find the tokens of a text, and those that each known term lies in.

    Parameters
    ----------
    vectorizer : Bag or Union, or scikit-learn's
    text : str
    known : container of str
        Names of terms, as the vectorizer has them.

    Returns
    -------
    tokens : list of Token
        From left to right: words, and what stands between blanks without any; characters, where only these
        are counted and there are no blanks.
    occurrences : dict
    """
    named = getattr(vectorizer, "transformer_list", None)
    bags = [(f"{name}__", bag) for name, bag in named] if named else [("", vectorizer)]
    words = [(prefix, bag) for prefix, bag in bags if bag.analyzer != "char_wb"]
    signs = [(prefix, bag) for prefix, bag in bags if bag.analyzer == "char_wb"]
    own = _tokens(words[0][1], text) if words else []
    blocks = _tokens(signs[0][1], text) if signs else []
    if words or not is_unsegmented([text]):
        taken = {i for token in own for i in range(token.start, token.stop)}
        more = [block for block in blocks if taken.isdisjoint(range(block.start, block.stop))]
    else:
        more = [Token(text[i], i, i + 1) for block in blocks for i in range(block.start, block.stop)]
    tokens = sorted([*own, *more], key=lambda token: token.start)
    numbers = {token.start: i for i, token in enumerate(tokens)}
    occurrences: Occurrences = {}
    for prefix, bag in words:
        for term, those in _in_a_row(own, bag.ngram_range):
            if prefix + term in known:
                those = [numbers[token.start] for token in those]
                occurrences.setdefault(prefix + term, []).append(those)
    for prefix, bag in signs:
        for term, those in _inside(blocks, tokens, bag.ngram_range):
            if prefix + term in known:
                occurrences.setdefault(prefix + term, []).append(those)
    return tokens, occurrences


def _tokens(vectorizer, text: str) -> list[Token]:
    """Find the tokens as the vectorizer does, stop words left out; of characters, what blanks divide."""
    preprocess = vectorizer.build_preprocessor()
    by_blanks = vectorizer.analyzer in ("split", "char_wb")
    pattern = re.compile(r"\S+" if by_blanks else vectorizer.token_pattern)
    plain = preprocess(text)
    starts = stops = range(len(plain) + 1)
    # Lower case may be longer (İ), but never shorter; without accents a text may be either.
    if vectorizer.strip_accents is not None or len(plain) != len(text):
        pieces = text if vectorizer.preprocessor is None else PIECES.findall(text)
        edges = [0, *accumulate(map(len, pieces))]
        owners = [i for i, piece in enumerate(pieces) for _ in preprocess(piece)]
        starts = [edges[i] for i in owners]
        stops = [0, *(edges[i + 1] for i in owners)]
    stop_words = () if vectorizer.analyzer == "char_wb" else vectorizer.get_stop_words() or ()
    group = pattern.groups  # what a pattern has in brackets is the token
    return [
        Token(match[group], starts[match.start(group)], stops[match.end(group)])
        for match in pattern.finditer(plain)
        if match[group] not in stop_words
    ]


def _in_a_row(tokens: list[Token], lengths: tuple[int, int]) -> Iterator[tuple[str, list[Token]]]:
    """Yield the words in a row, and where they are."""
    shortest, longest = lengths
    for start in range(len(tokens)):
        for stop in range(start + shortest, min(start + longest, len(tokens)) + 1):
            yield " ".join(token.token for token in tokens[start:stop]), tokens[start:stop]


def _inside(
    blocks: list[Token], tokens: list[Token], lengths: tuple[int, int]
) -> Iterator[tuple[str, list[int]]]:
    """Yield the characters in a row inside each block between two blanks, and the tokens they are of."""
    starts, stops = [token.start for token in tokens], [token.stop for token in tokens]
    for block in blocks:
        first = bisect_left(stops, block.start + 1)
        last = bisect_left(starts, block.stop)
        there = list(range(first, last))
        padded = f" {block.token} "
        is_as_written = len(block.token) == block.stop - block.start
        for n in range(lengths[0], lengths[1] + 1):
            for at in range(max(len(padded) - n, 0) + 1):
                exact = []
                if is_as_written:
                    low = block.start + at - 1
                    exact = [i for i in there if tokens[i].start < low + n and tokens[i].stop > low]
                yield padded[at : at + n], exact or there
            if n >= len(padded):
                break  # a short word counts once
