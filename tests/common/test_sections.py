"""Sections in a terminal and on a page."""

import re

from browser import Reader
from fastsvm_apps.common.sections import (
    Fact,
    Figure,
    Section,
    Table,
    print_sections,
    write_sections_page,
)

NAME = "a\x1b<i> --keep"


def weights(label, n, **more):
    return Table((label, "weight"), [(f"word{i}", f"+{i}") for i in range(n)], **more)


SECTIONS = [
    Section(facts=[Fact("accuracy", "0.9", " on 10 texts")], lines=[("of ", NAME)]),
    Section(title="Labels", lines=["two"], tables=[weights("pos", 1, left_out="3 more labels")]),
    Section(title="Words", tables=[weights(f"label{i}", i % 3, bars=[50.0] * 2) for i in range(1, 5)]),
    Section(title="Curves", about=["All."], figures=lambda: [Figure(("of ", NAME), [NAME])]),
    Section(
        title="True and predicted",
        tables=[Table(("", "a", "b"), ["a12", "b34"], shades=[("right-1", "wrong-2")] * 2)],
    ),
    Section(title="Again", command="fastsvm fit"),
]
PRINTED = r"""
accuracy 0.9 on 10 texts
of a\x1b<i> --keep

Labels
two

pos    weight
word0      +0
... and 3 more labels

Words
label1  weight  label2  weight  label3  weight
word0       +0  word0       +0
                word1       +1

label4  weight
word0       +0

True and predicted
   a  b
a  1  2
b  3  4

Again
fastsvm fit
"""


def test_a_terminal(capsys):
    print_sections(SECTIONS)
    assert re.sub(" +\n", "\n", capsys.readouterr().out) == PRINTED.removeprefix("\n")


def test_a_page(tmp_path):
    write_sections_page(tmp_path / "a.html", ("Of ", NAME), SECTIONS[0], SECTIONS)
    content = (tmp_path / "a.html").read_text()
    assert "\x1b" not in content
    assert "<i>" not in content
    reader = Reader(content)
    assert reader.texts("h2") == ["Labels", "Words", "Curves", "True and predicted", "Again"]
    assert [found["id"] for found, _ in reader.all("section") if "id" in found][-2] == "true-and-predicted"
    assert (reader.texts("dt"), reader.texts("dd")) == (["accuracy on 10 texts"], ["0.9"])
    assert r"of a\x1b<i> --keep" in reader.texts("p", **{"class": "notice"})
    assert "And 3 more labels." in reader.texts("p", **{"class": "soft"})
    assert [found["width"] for found, _ in reader.all("rect")] == ["50.00%"] * 4
    assert [found["class"] for found, _ in reader.all("td") if "-" in found.get("class", "")] == [
        "number right-1",
        "number wrong-2",
    ] * 2
    assert reader.texts("code") == ["fastsvm fit"]
