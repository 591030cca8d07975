"""Sections in a terminal and on a page say the same."""

from browser import Reader
from fastsvm_apps.common.html_pages import sections_page
from fastsvm_apps.common.sections import Fact, Section, Table, print_sections

SECTIONS = [
    Section(facts=[Fact("accuracy", "0.9", " on 10 texts")], lines=["two lines"]),
    Section(title="Words", tables=[Table(("pos", "weight"), [("word", "+7")], left_out="3 more labels")]),
    Section(title="True and predicted", tables=[Table(("", "a", "b"), ["a12", "b34"])]),
    Section(title="Again", command="fastsvm fit"),
]
WORDS = "accuracy 0.9", "two lines", "Words", "pos weight", "word +7", "True and predicted", "a 1 2", "b 3 4"


def test_a_terminal(capsys):
    print_sections(SECTIONS)
    printed = " ".join(capsys.readouterr().out.split())
    places = [printed.index(words) for words in (*WORDS, "Again fastsvm fit")]
    assert places == sorted(places)
    assert "3 more labels" in printed


def test_a_page():
    reader = Reader(sections_page("Of it", SECTIONS[0], SECTIONS))
    assert reader.texts("h2") == ["Words", "True and predicted", "Again"]
    assert (reader.texts("dt"), reader.texts("dd")) == (["accuracy on 10 texts"], ["0.9"])
    assert reader.texts("td") == ["+7", "1", "2", "3", "4"]
    assert "And 3 more labels." in reader.texts("p", **{"class": "soft"})
    assert reader.texts("code") == ["fastsvm fit"]
