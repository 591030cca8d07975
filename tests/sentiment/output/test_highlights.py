"""Marked words on the pages on texts: by what they say, shortened, and never too long."""

import re

from fastsvm_apps.common import html_pages
from fastsvm_apps.sentiment.jobs.text_explanation import ExplainedSpan
from fastsvm_apps.sentiment.output.highlights import CONTEXT, ROOM, highlight


def spans_of(text, shares):
    """Return the spans of some words wherever they occur."""
    found = [(match, share) for word, share in shares.items() for match in re.finditer(re.escape(word), text)]
    found = [ExplainedSpan(*match.span(), share) for match, share in found]
    return sorted(found)


def test_a_long_text_is_shortened_around_its_strongest_words():
    words = [f"word{i}" for i in range(2_000)]
    words[700], words[1_500] = "awful", "great"
    text = " ".join(words)
    shares = {"awful": -2.0, "great": 1.0, "word3 ": 0.001}
    shown = highlight(text, spans_of(text, shares))
    plain = re.sub("<.*?>", "", shown)
    assert "word699 awful word701" in plain
    assert "word1499 great word1501" in plain
    assert "word1000" not in plain
    assert plain.count("…") == 3
    for piece in plain.strip("… ").split(" … "):
        assert piece in text
    assert len(plain) < ROOM + 20
    assert re.sub("<.*?>", "", highlight(text, [])) == f"{text[:ROOM]} …"


def test_a_giant_word_is_cut():
    giant = "x" * 10_000
    text = f"so {giant} bad {giant}{giant} end"
    for shares in ({"bad": 1.0}, {giant: 1.0}, {giant: 1.0, "bad": 0.5}):
        shown = highlight(text, spans_of(text, shares))
        assert len(re.sub("<.*?>", "", shown)) < ROOM + 4 * (CONTEXT + html_pages.ROOM)
