"""Parts of the pages on texts: charts, marked words, shades."""

import re
from xml.etree import ElementTree

import pytest

from fastsvm_apps.common import html_pages
from fastsvm_apps.sentiment.jobs.text_explanation import ExplainedSpan
from fastsvm_apps.sentiment.output.highlights import CONTEXT, ROOM, highlight
from fastsvm_apps.sentiment.output.svg_charts import LARGE_CHART, learning_curve_chart, round_axis

_, _, LEFT, RIGHT, TOP, BOTTOM = LARGE_CHART
SVG = "{http://www.w3.org/2000/svg}"


def read(chart):
    """Return the elements of a chart; it is well-formed."""
    root = ElementTree.fromstring(
        chart.__html__().replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )
    return root, [element for element in root if "class" in element.attrib]


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 4000, 1e9, [0, 1000, 2000, 3000, 4000]),
        (0.71, 0.89, 1, [0.7, 0.75, 0.8, 0.85, 0.9]),
        (0.962, 0.999, 1, [0.96, 0.97, 0.98, 0.99, 1.0]),
        (0.2, 1.0, 1, [0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.8, 0.82, 1, [0.8, 0.805, 0.81, 0.815, 0.82]),
    ],
)
def test_round_axes(low, high, most, expected):
    axis = round_axis("", low, high, most)
    assert [value for value, _ in axis.ticks] == pytest.approx(expected)
    assert (axis.low, axis.high) == pytest.approx((expected[0], expected[-1]))
    assert axis.ticks[1][1] == f"{expected[1]:g}"


def test_a_learning_curve_holds_what_it_shows():
    sizes, scores = [100, 200, 400], [0.7, 0.8, 1.0]
    for intervals in (None, [(0.6, 0.8), (0.75, 0.85), (0.97, 1.0)]):
        root, elements = read(learning_curve_chart(sizes, scores, intervals))
        assert root.get("aria-label").endswith("100: 0.700; 200: 0.800; 400: 1.000")
        places = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter(f"{SVG}circle")]
        assert places[-1] == (RIGHT, TOP)
        assert all(LEFT < x <= RIGHT and TOP <= y <= BOTTOM for x, y in places)
        assert len([e for e in elements if e.get("class") == "whisker"]) == len(intervals or [])
    learning_curve_chart([10], [1.0], [(1.0, 1.0)]).__html__()


def spans_of(text, shares):
    """Return the spans of some words wherever they occur."""
    found = [
        ExplainedSpan(match.start(), match.end(), share)
        for word, share in shares.items()
        for match in re.finditer(re.escape(word), text)
    ]
    return sorted(found)


def test_highlight():
    text = "good & <bad>,\tdull so-so"
    shown = highlight(text, spans_of(text, {"good": 1.0, "bad": -0.5, "dull": -0.1}))
    assert shown == (
        '<mark class="for-4" title="+1.000">good</mark> &amp; '
        '&lt;<mark class="against-2" title="-0.500">bad</mark>&gt;, dull so-so'
    )
    assert highlight("a < b", []) == "a &lt; b"
    assert highlight("a b", [ExplainedSpan(0, 1, 0.0)]) == "a b"


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
