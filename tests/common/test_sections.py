"""Sections in a terminal and on a page say the same."""

from browser import Reader
from fastsvm_apps.common.html_pages import sections_page
from fastsvm_apps.common.printing import certificate_line, labels_alike
from fastsvm_apps.common.sections import Fact, Section, Table, print_sections

SECTIONS = [
    Section(facts=[Fact("accuracy", "0.9", " on 10 texts")], lines=["two lines"]),
    Section(title="Words", tables=[Table(("pos", "weight"), [("word", "+7")], left_out="3 more labels")]),
    Section(title="True and predicted", tables=[Table(("", "a", "b"), ["a12", "b34"])]),
    Section(title="Again", command="fastsvm fit"),
]
WORDS = "accuracy 0.9", "two lines", "Words", "pos weight", "word +7", "True and predicted", "a 1 2", "b 3 4"


def test_a_certificate_has_usual_digits_and_says_if_the_fit_has_not_converged():
    assert certificate_line(0.00064) == "the objective is within 0.064 % of the lowest"
    assert certificate_line(0.000641) == "the objective is within 0.065 % of the lowest"
    assert certificate_line([0.001, 0.0999]) == "the objective is within 10 % of the lowest"
    for gap, told in (0.4, "40 %"), (1.6, "100 %"):
        assert certificate_line(gap).startswith(
            "the fit has not converged: the lowest objective may be " + told
        )


def test_labels_that_are_alike():
    told = labels_alike(["1", "1.0", "5", "Ja", " ja ", "nan", "2"])
    assert told[0].startswith("'1' and '1.0', 'Ja' and ' ja ' count as different labels; spell them alike")
    assert labels_alike(["1", "2.5", "nan", "ja"]) == []


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
