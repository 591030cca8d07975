"""The report: what it counts and shows, that hostile names stay text, and that it works in a browser."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from devtools import run_in_page
from peak_memory import peak_of

from browser import HOSTILE, Reader, needs_chromium
from fastsvm_apps.cells.finding.findings import UNCLASSIFIED, UNFAMILIAR, FoundCell, ImageFindings
from fastsvm_apps.cells.output.report_page import MAX_CELLS, report_page
from fastsvm_apps.common.files import replace_file

CLASSES = "ABC"


@pytest.fixture(scope="session")
def write_report(tally_of):
    def write_report(path, findings, classes=CLASSES, limit=MAX_CELLS):
        replace_file(path, report_page(tally_of(findings, classes, limit)).encode())

    return write_report


def blob(color, size=48):
    """Return a JPEG of a blob."""
    image = np.full((size, size, 3), 230, np.uint8)
    cv2.circle(image, (size // 2, size // 2), size // 3, color, cv2.FILLED)
    return cv2.imencode(".jpg", image)[1].tobytes()


PURPLE = blob((140, 60, 110))


def cell(label="A", score=0.5, box=(10, 20, 30, 40), thumbnail=PURPLE):
    return FoundCell(box, (25, 40), 900, label, score, thumbnail)


def image(file, *cells, **options):
    return ImageFindings(file, cells, **options)


@pytest.fixture
def report(tmp_path, write_report):
    """Write a report and read it."""

    def report(findings, **options):
        path = tmp_path / "report.html"
        write_report(path, findings, **options)
        return Reader(path.read_text(encoding="utf-8"))

    return report


def tiles(reader):
    return [attributes for attributes, _ in reader.all("figure") if "data-cell" in attributes]


# What the page says


def test_counts(report):
    findings = [
        image("1.png", cell("A"), cell("B")),
        image("2.png", cell("A")),
        image("3.png", cell("A"), flags=("noise",)),
        image("none.png"),
        image("broken.png", problem="cut short"),
    ]
    reader = report(iter(findings), classes="AB")
    assert reader.texts("dd") == ["4", "5", "1", "1", "1"]
    assert reader.texts("dt")[2:4] == ["images without a white cell", "images unlike the training images"]
    assert "This is not a medical device." in reader.texts("header")[0]
    (table,) = reader.texts("table", **{"class": "counts"})
    counts = "A 3 75.0 30.1-95.4 B 1 25.0 4.6-69.9 unclassified 0 0.0 0.0-49.0 all 4 100.0"
    assert table.endswith(counts)
    assert "none.png" in reader.texts("section", id="images-without-a-white-cell")[0]
    assert "broken.png cut short" in reader.texts("section", id="images-with-problems")[0]
    assert not reader.all("section", id="agreement-with-the-known-labels")


@pytest.mark.parametrize(
    ("findings", "said", "why"),
    [
        ([cell(), cell(UNCLASSIFIED)], "1 of 2 cells have no label: no class ", "more than a third of"),
        ([cell(), cell()], "In 1 of 1 image the cells are unlike", "among cells unlike its training cells"),
        ([cell(), cell(), cell(UNCLASSIFIED)], "", ""),
    ],
)
def test_where_percentages_would_mislead_there_are_none(report, findings, said, why):
    reader = report([image("1.png", *findings, flags=(UNFAMILIAR,) * ("unlike" in said))], classes="AB")
    notices = reader.texts("p", **{"class": "notice"})
    assert notices[0].startswith(said or "This is not a medical device.")
    (section,) = reader.texts("section", id="differential-count")
    assert (f"No percentages: {why}" in section, "95 % interval" in section) == (bool(why), not why)


def test_errors_when_labels_are_known(report):
    findings = [image(f"{i}.png", cell("A" if i < 95 else "B", 0.9), truth="A") for i in range(100)]
    findings += [image("two.png", cell("C"), cell("B"), truth="B"), image("none.png", truth="A")]
    findings += [image("unknown.png", cell("A"))]
    reader = report(findings)
    (errors,) = reader.texts("section", id="agreement-with-the-known-labels")
    # Wilson's interval of 6 among 101.
    assert (
        "error (6 of 101 cells; 95 % interval 2.8 % to 12.4 %, if the cells are independent) 5.9 %" in errors
    )
    assert "Not counted: 2 cells without a known label" in errors
    assert "Not counted: 1 labelled image in which no white cell was found." in errors
    assert errors.endswith("A B C all error A 95 5 0 100 5.0 % B 0 0 1 1 100.0 % C 0 0 0 0")
    assert reader.texts("li")[0].startswith("A taken for B : 5")
    assert reader.texts("li")[1].startswith("B taken for C : 1")
    assert sum("data-wrong" in tile for tile in tiles(reader)) == 6


def test_review_begins_with_what_teaches_most(tally_of):
    def order(*probabilities, **about):
        findings = []
        for k, p in enumerate(probabilities):
            label = "ABC"[np.argmax(p)] if max(p) > 0.8 else UNCLASSIFIED
            findings.append(image(f"{k}", replace(cell(label, max(p)), probabilities=p), **about))
        return [found.number for found in tally_of(findings, "ABC").to_teach()]

    surest, b, unsure, c = (0.98, 0.01, 0.01), (0.05, 0.9, 0.05), (0.6, 0.3, 0.1), (0.02, 0.13, 0.85)
    assert order(surest, b, unsure, c) == [3, 4, 2, 1]
    assert order(surest, b, unsure, c, truth="A") == [4, 2, 3, 1]
    assert order(surest, surest, b, unsure, c, flags=(UNFAMILIAR,)) == [1, 3, 5, 2, 4]


def test_a_cell_without_a_label_is_no_mistake(tally_of):
    labels = (("A", "B"), ("B", "A"), (UNCLASSIFIED, "B"))
    tally = tally_of([image("x.png", *map(cell, each), truth="A") for each in labels], "AB")
    assert tally.confusion == {("A", "A"): 1, ("A", "B"): 1}
    assert tally.mistakes == {("A", "B"): 1}
    assert [cell.mistake for cell in tally.shown] == [False, False, True, False, False, False]


def test_known_labels_that_the_model_lacks(report):
    cells = [(cell("A", 0.8), (0.8, 0.2)), (cell(UNCLASSIFIED, 0.4), (0.4, 0.3))]
    findings = [image("x.png", replace(one, probabilities=of_one), truth="BASO") for one, of_one in cells]
    reader = report(findings, classes="AB")
    shown = [text for about, text in reader.all("figure") if "data-cell" in about]
    assert ["known: BASO" in text for text in shown] == [True, True]
    (errors,) = reader.texts("section", id="agreement-with-the-known-labels")
    assert "error (1 of 1 cells" in errors
    assert "Not classes of the model: BASO . Any label that the model gives is wrong there: 1 cell." in errors
    assert "Not counted: 1 unclassified cell with a known label." in errors
    assert "without a known label" not in errors


def test_nothing_found(report):
    for findings in ([], [image("1.png"), image("2.png", problem="damaged")]):
        reader = report(findings)
        assert reader.texts("dd")[0] == "0"
        assert not reader.all("figure")


def test_what_is_left_out(report):
    scores = np.random.default_rng(0).permutation(100) / 100 - 0.5
    right = [image(f"right/{i}.png", cell("A", score), truth="A") for i, score in enumerate(scores)]
    wrong = [image(f"wrong/{i}.png", cell("B", score), truth="A") for i, score in enumerate(scores[:10])]

    def kept(findings, limit):
        reader = report(iter(findings), limit=limit)
        assert len(tiles(reader)) == limit
        (notice,) = [text for text in reader.texts("p") if text.endswith("all are in the CSV output.")]
        return notice, [(float(tile["data-score"]), "data-wrong" in tile) for tile in tiles(reader)]

    notice, shown = kept(right + wrong, 30)
    assert "30 of 110 cells are on this page: all 10 mistakes, and of the others those with" in notice
    assert sorted(score for score, is_wrong in shown if not is_wrong) == sorted(scores)[:20]
    notice, shown = kept(wrong + right, 4)
    assert "4 of the 10 mistakes, highest scores first. 106 cells left out" in notice
    assert shown == [(score, True) for score in sorted(sorted(scores[:10])[-4:])]


def test_lists_of_files_are_cut(report):
    reader = report([image(f"{i}.png") for i in range(1_234)])
    assert sum(".png" in row for row in reader.texts("tr")) == 1_000
    assert "234 more files in the CSV output." in reader.texts("section", id="images-without-a-white-cell")[0]


# Hostile names


def test_memory_does_not_grow_with_the_images(tmp_path, write_report):
    def many(n):
        for i in range(n):
            yield image(f"{i}.png", cell("A", i % 97 / 97, thumbnail=bytes(1_000)), truth="A")

    def peak(n):
        return peak_of(lambda: write_report(tmp_path / "report.html", many(n), limit=50))

    peak(50)  # the templates are compiled once
    assert peak(5_000) < 1.5 * peak(500)


def hostile_findings():
    for i, name in enumerate(HOSTILE):
        truth = HOSTILE[(i + 1) % len(HOSTILE)]
        yield image(f"{name}/{i}<img src=x onerror=y>", cell(name, i / 10), cell(truth, 0.9), truth=truth)
        yield image(name, truth=truth)
        yield image(name, problem=name)


# In a browser

TRY_EVERYTHING = """
const rows = () => [...document.querySelectorAll("#table-of-cells tbody tr")];
const number = (e) => Number(e.dataset.cell ?? e.cells[0].textContent);
const seen = (elements) => elements.filter((e) => !e.hidden).map(number);
const tiles = () => [...document.getElementById("tiles").children];
const heads = [...document.querySelectorAll("#table-of-cells thead th")];
const head = (name) => heads.find((th) => th.textContent === name);
const form = document.getElementById("filters");
const change = (control, value) => {
  if (control.type === "checkbox") control.checked = value; else control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
};
const state = () => ({
  tiles: seen(tiles()), rows: seen(rows()), showing: document.getElementById("showing").textContent,
});
const found = { start: state(), filtersShown: !form.hidden };

found.sorted = {};
for (const name of ["File", "Score", "Label"]) {
  const button = head(name).querySelector("button");
  found.sorted[name] = [1, 2].map(() => {
    button.click();
    return [head(name).ariaSort, document.querySelectorAll("[aria-sort]").length, seen(rows())];
  });
}
head("No.").querySelector("button").click();

const [a] = form.querySelectorAll("[name=label]");
change(a, false);
found.withoutFirstLabel = state();
form.querySelector("[data-check=none]").click();
found.noLabel = state();
form.querySelector("[data-check=all]").click();
found.all = state();

const { from, to, wrong, order } = form.elements;
change(from, 80);  // 0.34 of 0.1 to 0.4
found.fromScore = state();
found.told = [from.ariaValueText, from.nextElementSibling.value, to.nextElementSibling.value];
change(to, 40);
found.pushed = [from.valueAsNumber, to.valueAsNumber];
change(from, from.min);
found.toScore = state();
change(to, to.max);
change(wrong, true);
found.onlyMistakes = state();
change(wrong, false);
change(order, "falling");
found.falling = seen(tiles());
change(order, "number");
found.byNumber = seen(tiles());
change(order, "doubt");
found.doubt = seen(tiles());
return found;
"""


@pytest.fixture(scope="module")
def tried(tmp_path_factory, write_report):
    """Return what a browser saw of a report of nine cells, and what went wrong."""
    folder = tmp_path_factory.mktemp("browser")
    findings = [
        image("cell 10.png", cell("A", 0.1), cell("B", 0.2), truth="B"),
        image("cell 9.png", cell("A", 0.3), truth="B"),
        image("cell 2.png", cell("B", 0.4), cell("A", 0.15), cell("B", 0.39), truth="B"),
        image("z.png", FoundCell((0, 0, 9, 9), (4, 4), 1_000, "A", 0.35, PURPLE)),
        image("y.png", cell("A", 0.11), cell(UNCLASSIFIED, 0.25)),
    ]
    write_report(folder / "report.html", findings)
    return run_in_page((folder / "report.html").read_text(encoding="utf-8"), TRY_EVERYTHING, folder)


@needs_chromium
def test_the_order_at_first(tried):
    found, problems = tried
    assert problems == []
    assert found["filtersShown"]
    start = found["start"]
    assert start["rows"] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert start["tiles"] == [9, 1, 8, 5, 2, 3, 7, 6, 4]
    assert start["showing"] == "Showing 9 of 9 cells"


@needs_chromium
@pytest.mark.parametrize(
    ("column", "ascending", "descending"),
    [
        ("File", [4, 5, 6, 3, 1, 2, 8, 9, 7], [7, 8, 9, 1, 2, 3, 4, 5, 6]),
        ("Score", [1, 8, 5, 2, 9, 3, 7, 6, 4], [4, 6, 7, 3, 9, 2, 5, 8, 1]),
        ("Label", [7, 3, 5, 8, 1, 4, 6, 2, 9], [9, 4, 6, 2, 7, 3, 5, 8, 1]),
    ],
)
def test_sorting_the_table(tried, column, ascending, descending):
    expected = [["ascending", 1, ascending], ["descending", 1, descending]]
    assert tried[0]["sorted"][column] == expected


@needs_chromium
def test_filtering(tried):
    found = tried[0]

    def check(state, numbers):
        assert sorted(state["tiles"]) == state["rows"] == numbers
        assert state["showing"] == f"Showing {len(numbers)} of 9 cells"

    check(found["withoutFirstLabel"], [2, 4, 6, 9])
    check(found["noLabel"], [])
    check(found["all"], [1, 2, 3, 4, 5, 6, 7, 8, 9])
    check(found["fromScore"], [4, 6, 7])
    assert found["told"] == ["0.340", "0.340", "0.400"]
    assert found["pushed"] == [40, 40]
    check(found["toScore"], [1, 2, 5, 8])
    check(found["onlyMistakes"], [1, 3])
    assert found["falling"] == [4, 6, 7, 3, 9, 2, 5, 8, 1]
    assert found["doubt"] == found["start"]["tiles"]
    assert found["byNumber"] == [1, 2, 3, 4, 5, 6, 7, 8, 9]


@needs_chromium
def test_hostile_names_in_the_browser(tmp_path, write_report):
    write_report(tmp_path / "report.html", hostile_findings(), HOSTILE)
    script = """
    const form = document.getElementById("filters");
    form.querySelector("[data-check=none]").click();
    form.querySelector("[name=label]").click();
    const shown = [...document.querySelectorAll("#tiles figure:not([hidden])")];
    const name = form.querySelector("label bdi").textContent;
    const wide = document.documentElement.scrollWidth > innerWidth;
    return [document.title, shown.map((tile) => tile.querySelector("bdi").textContent === name), wide];
    """
    result, problems = run_in_page((tmp_path / "report.html").read_text(encoding="utf-8"), script, tmp_path)
    assert problems == []
    assert result == ["White cells: Slide 3", [True, True], False]
