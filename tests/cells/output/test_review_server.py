"""The review page: real clicks and keys in a browser, and the file of corrections that comes out of them."""

import json
from threading import Thread

import cv2
import numpy as np
import pytest
from devtools import browser

from browser import HOSTILE, needs_chromium
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.cells.finding.findings import FoundCell, ImageFindings
from fastsvm_apps.cells.learning.corrections import MAX_NAME, checked_corrections, is_class_name
from fastsvm_apps.cells.output.report_page import report_page
from fastsvm_apps.cells.output.review_server import ReviewServer, Work
from fastsvm_apps.common.statistics import wilson_interval

pytestmark = needs_chromium

THUMBNAIL = cv2.imencode(".jpg", np.full((40, 40, 3), 200, np.uint8))[1].tobytes()
CLASSES = ["EOSINOPHIL", "LYMPHOCYTE", "MONOCYTE", "NEUTROPHIL"]


def cell(label, score, x=0):
    return FoundCell((x, 20, 30, 40), (x + 9, 40), 900, label, score, THUMBNAIL)


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as window:
        yield window


@pytest.fixture
def report(window, tmp_path, tally_of):
    """Open a served page of nine cells, the least certain first."""
    servers, threads = [], []
    image = tmp_path / "image.png"
    cv2.imwrite(str(image), np.full((400, 400, 3), (200, 150, 180), np.uint8))

    def opened(findings=None, width=1300, classes=CLASSES, adapt="fastsvm-cells adapt", more=()):
        if findings is None:
            findings = [
                ImageFindings(f"slide/cell {k}.png", (cell(CLASSES[k % 4], k / 10, k),)) for k in range(9)
            ]
        tally = tally_of(findings, classes)
        work = Work(tmp_path / "corrections.json", tally.count.model, tally.shown, None, more)
        files = {found.file: ImageFile(str(image), found.file) for found in findings}
        servers.append(ReviewServer(report_page(tally, adapt, work.more), work, tally.shown, files))
        threads.append(Thread(target=servers[-1].run, daemon=True))
        threads[-1].start()
        window.problems.clear()
        window.open(servers[-1].url, width)
        return window

    def stop():
        for server, thread in zip(servers, threads, strict=True):
            server.stop()
            thread.join()

    opened.stop = stop
    yield opened
    stop()


def counts(window):
    rows = "[...document.querySelectorAll('.counts tr:not([hidden])')]"
    texts = window.run(f"{rows}.slice(1).map((row) => row.innerText.split(/\\s+/).filter(Boolean).join(' '))")
    return dict(text.split(" ", 1) for text in texts)


def row(n, of, undecided=0):
    """Return what the count says of a class."""
    low, high = wilson_interval(n, of)[0], wilson_interval(n + undecided, of)[1]
    return f"{n} {100 * n / of:.1f} {100 * low:.1f}-{100 * high:.1f}"


def progress(window):
    return window.run("document.getElementById('progress').textContent")


def focused(window):
    return window.run("document.activeElement.closest('figure')?.dataset.cell")


SAVED = """fetch("verdicts").then((answer) => answer.json()).then((kept) => {
  const looked = [...document.querySelectorAll("#tiles [data-verdict]")];
  const isKept = ({ dataset: { cell, verdict } }, told) =>
    verdict === "rejected" ? kept[cell] === null : told.startsWith(`Cell ${cell}: ${kept[cell]}`);
  return looked.length === Object.keys(kept).length
    && looked.every((figure) => isKept(figure, figure.querySelector(".crop").getAttribute("aria-label")));
})"""


def saved(window, tmp_path):
    """Return what is in the file, once that is what the page shows."""
    window.wait_for(SAVED)
    return json.loads((tmp_path / "corrections.json").read_text())


def test_a_click_opens_the_menu_and_a_choice_changes_the_count(report, tmp_path):
    window = report()
    assert counts(window) == {
        "EOSINOPHIL": row(3, 9),
        "LYMPHOCYTE": row(2, 9),
        "MONOCYTE": row(2, 9),
        "NEUTROPHIL": row(2, 9),
        "unclassified": row(0, 9),
        "all": "9 100.0",
    }
    assert progress(window) == "0 of 9 cells looked at"
    window.click("[data-cell='1'] .crop")
    assert window.run("document.activeElement.textContent") == "1EOSINOPHIL"
    window.click("#menu [data-choice='3']")
    window.wait_for("document.getElementById('menu').hidden")
    assert focused(window) == "1"
    assert counts(window)["EOSINOPHIL"] == row(2, 9)
    assert counts(window)["NEUTROPHIL"] == row(3, 9)
    window.click("[data-cell='2'] .crop")
    window.click("#menu [data-choice='reject']")
    window.click("[data-cell='3'] .crop")
    window.click("#menu [data-choice='4']")
    assert counts(window)["unclassified"] == row(1, 8)
    assert counts(window)["NEUTROPHIL"] == row(3, 8, undecided=1)
    assert counts(window)["all"] == "8 100.0"
    assert progress(window) == "3 of 9 cells looked at: 2 changed, 1 rejected"
    label = "document.querySelector('[data-cell=\"1\"] .crop').getAttribute('aria-label')"
    assert window.run(label) == "Cell 1: NEUTROPHIL, was EOSINOPHIL"
    content = saved(window, tmp_path)
    assert content == {
        "version": 1,
        "model": "m.safetensors",
        "classes": CLASSES,
        "corrections": [
            {"file": "slide/cell 0.png", "box": [0, 20, 30, 40], "old": "EOSINOPHIL", "new": "NEUTROPHIL"},
            {"file": "slide/cell 1.png", "box": [1, 20, 30, 40], "old": "LYMPHOCYTE", "reject": True},
            {"file": "slide/cell 2.png", "box": [2, 20, 30, 40], "old": "MONOCYTE", "new": "unclassified"},
        ],
    }
    labels = [boxed.label for boxed in checked_corrections(content, "it")[0]]
    assert labels == ["NEUTROPHIL", None, None]
    assert window.problems == []


def test_without_percentages_the_count_follows_too(report):
    findings = [ImageFindings(f"{k}.png", (cell("unclassified", k / 10),)) for k in range(2)]
    window = report(findings)
    window.press("4")
    assert counts(window)["NEUTROPHIL"] == counts(window)["unclassified"] == "1"
    assert window.problems == []


def test_keys(report, tmp_path):
    window = report()
    window.press("ArrowRight")  # at once, wherever the focus is
    assert focused(window) == "1"
    command = "document.querySelector('.next code').checkVisibility()"
    assert not window.run(command)
    window.press("4", "x", "Space", "ArrowLeft")
    assert window.run(command)
    assert focused(window) == "3"
    assert progress(window) == "3 of 9 cells looked at: 1 right, 1 changed, 1 rejected"
    window.press("9", "7")  # nothing has these keys
    assert progress(window).startswith("3 of 9")
    window.press("Home", "ArrowDown")
    assert focused(window) != "1"
    window.press("ArrowUp", "ArrowUp", "ArrowLeft")
    assert focused(window) == "1"
    window.press("u", "u")
    assert focused(window) == "2"
    window.click("#copy")
    window.wait_for("document.getElementById('copy').textContent === 'Copied'")
    assert progress(window) == "1 of 9 cells looked at: 1 changed"
    window.press("x", "u", "Enter", "ArrowDown", "Enter")
    window.press("ArrowRight", "Enter", "Escape")
    assert focused(window) == "3"
    new = [(entry["file"], entry["new"]) for entry in saved(window, tmp_path)["corrections"]]
    assert new == [("slide/cell 0.png", "NEUTROPHIL"), ("slide/cell 1.png", "MONOCYTE")]
    window.click("#undo")
    window.click("#undo")
    assert progress(window) == "0 of 9 cells looked at"
    assert window.problems == []


@pytest.mark.parametrize(("width", "height"), [(1300, 900), (390, 844)])
def test_the_cells_to_judge_are_on_the_first_screen(report, width, height):
    window = report(width=width, more=["W" * MAX_NAME])
    assert window.run("document.documentElement.scrollWidth <= innerWidth")
    assert window.run("document.querySelector('#tiles figure').getBoundingClientRect().bottom") < height


def test_new_classes_have_keys_and_places(report, tmp_path):
    names = [name for name in HOSTILE if is_class_name(name)]
    assert len(names) == 6
    window = report(more=HOSTILE)
    window.press("5", "6", "7", "8", "9")
    window.click("[data-cell='6'] .crop")
    assert window.run("document.querySelector('#menu button:nth-of-type(10) kbd').textContent") == ""
    window.click("#menu button:nth-of-type(10)")
    content = saved(window, tmp_path)
    assert [entry["new"] for entry in content["corrections"]] == names
    assert content["classes"] == [*CLASSES, *names]
    numbers = "[...document.querySelectorAll('.counts td.number:nth-of-type(2)')].map((td) => td.textContent)"
    assert window.run(numbers) == [*"1011", *"111111", "0", "9"]
    assert window.run("document.title") == "Correct the labels: Slide 3"
    assert window.problems == []


def test_work_survives_a_reload(report, window, tmp_path):
    report()
    window.press("2", "x", "n", *"Blast", "Enter", "5", "n", *"BLAST", "Enter", "5")  # no other class
    saved(window, tmp_path)
    before = counts(window)
    url = window.run("location.href")
    window.open("about:blank#")
    window.open(url)
    window.wait_for("document.getElementById('progress').textContent.startsWith('4 of')")
    assert progress(window) == "4 of 9 cells looked at: 3 changed, 1 rejected"
    assert counts(window) == before
    assert before["Blast"] == row(2, 8)
    window.click("summary")
    window.click("#forget")
    assert progress(window) == "0 of 9 cells looked at"
    assert saved(window, tmp_path)["corrections"] == []


def test_hostile_names_come_out_as_they_went_in(report, tmp_path):
    findings = [ImageFindings(name, (cell(name, k / 10),)) for k, name in enumerate(HOSTILE)]
    window = report(findings, classes=HOSTILE)
    for k in range(len(HOSTILE)):
        window.click(f"[data-cell='{k + 1}'] .crop")
        window.press("x")
    content = saved(window, tmp_path)
    assert [(entry["file"], entry["old"]) for entry in content["corrections"]] == [(n, n) for n in HOSTILE]
    assert window.run("document.title") == "Correct the labels: Slide 3"
    assert window.problems == []


def test_a_verdict_that_cannot_be_saved_is_said_to_be_lost(report):
    window = report()
    report.stop()
    window.run("document.querySelector('.crop[tabindex=\"0\"]').focus()")
    window.press("1")
    window.wait_for("document.getElementById('trouble').textContent.includes('has ended')")


def test_two_tabs_lose_nothing(report, tmp_path):
    """In two browsers: a tab behind another one paints nothing."""
    with browser(tmp_path) as other:
        tabs = [report(), other]
        other.open(tabs[0].run("location.href"))
        told = "document.getElementById('trouble').checkVisibility()"
        for number, (tab, key) in enumerate(zip(tabs * 2, ("2", "x", "3", "4"), strict=True), 1):
            tab.run(f"document.querySelector('[data-cell=\"{number}\"] .crop').focus()")
            tab.press(key)
            content = saved(tab, tmp_path)
            assert tab.run(told) == (number > 1)
        new = [entry.get("new") for entry in content["corrections"]]
        assert new == ["LYMPHOCYTE", None, "MONOCYTE", "NEUTROPHIL"]
        assert "another tab" in other.run("document.getElementById('trouble').textContent")
        assert progress(other) == "4 of 9 cells looked at: 2 right, 1 changed, 1 rejected"
        other.press("u")  # with nothing new elsewhere
        assert len(saved(other, tmp_path)["corrections"]) == 3
        other.wait_for(f"!{told}")


def test_a_report_has_nothing_to_correct(report):
    window = report(adapt="")
    assert not window.run("document.getElementById('editing')")
