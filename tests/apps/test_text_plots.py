"""Pictures of words: what they say, and that panels can be compared."""

import re

import pytest

pytest.importorskip("matplotlib")

from matplotlib import rc_context

from fastsvm_apps.sentiment.measures.term_effects import TopWords, WordWeight
from fastsvm_apps.sentiment.output.plots import plot_top_words


@pytest.fixture
def drawn(tmp_path):
    """Draw with a function; return what is written in the picture."""

    def drawn(draw, what):
        with rc_context({"svg.fonttype": "none"}):
            draw(what, str(tmp_path / "a.svg"))
        return re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "a.svg").read_text(encoding="utf-8"))

    return drawn


def sides(*weights):
    return [TopWords(f"label{i}", [WordWeight(f"word{i}", weight)]) for i, weight in enumerate(weights)]


def test_the_axes_of_words_are_named_once_and_of_one_scale(drawn):
    said = drawn(plot_top_words, sides(100.0, 1.0, 2.0, 3.0, 4.0))
    assert {f"label{i}" for i in range(5)} | {f"word{i}" for i in range(5)} <= set(said)
    assert [word for word in said if "weight" in word] == ["weight of a word or phrase"]
    assert said.count("100") == 3  # below the last of each column
    assert "word" not in said
    (said,) = [word for word in drawn(plot_top_words, sides(-2.0, 1.0)) if "weight" in word]
    assert said == "weight: above 0 for “label1”, below 0 for “label0”"
