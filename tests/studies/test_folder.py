"""A study's folder, what it prints, its pages, and that nothing is computed twice or lost."""

import io
import json
import os

import numpy as np
import pytest
from click.testing import CliRunner
from devtools import run_in_page
from PIL import Image

from browser import Reader, needs_chromium
from fastsvm_apps.common.errors import AppError
from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.commands import study_commands as commands
from fastsvm_apps.studies.documents import digits, kernels
from fastsvm_apps.studies.report import docs_pages
from fastsvm_apps.studies.report.verdicts import Verdict

FILES = {
    *("errors.png", "epochs.png", "many-rows.png", "methods.csv", "labels.csv", "claims.csv", "runs.csv"),
    *("confusion_test.csv", "confusion_training.csv", "report.html", "report.json", "parts"),
    ".fastsvm-studies",
}
SMALL = ("--quick", "--runs", 3)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line inside an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(digits, "QUICK_ROWS", (100, 200))
    return lambda *args: CliRunner().invoke(main, [*map(str, args)], prog_name="fastsvm-studies")


def test_a_study_leaves_a_folder_and_its_runs_are_enough(run, tmp_path):
    done = run("digits", *SMALL, "--seed", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    folder = tmp_path / "digits"
    assert {*os.listdir(folder)} == FILES
    record = json.loads((folder / "report.json").read_text())
    assert record["command"] == "fastsvm-studies digits --runs 3 --seed 3 --quick -o digits"
    assert record["cpu_seconds"] > 0
    # Drawn again without running: with the versions of the runs.
    runs = (folder / "runs.csv").read_text()
    (folder / "runs.csv").write_text(runs.replace('"numpy": "', '"numpy": "0 or '))
    done = run("digits", "--from", "digits/runs.csv", "-o", "again")
    assert (done.exit_code, done.stderr) == (0, "")
    assert {*os.listdir(tmp_path / "again")} == FILES - {"runs.csv", "parts"}
    for name in "claims.csv", "methods.csv":
        assert (tmp_path / "again" / name).read_text() == (folder / name).read_text()
    again = json.loads((tmp_path / "again" / "report.json").read_text())
    assert again["versions"] == record["versions"] | {"numpy": f"0 or {record['versions']['numpy']}"}
    same = "command", "seed", "hashes", "claims"
    assert [again[name] for name in same] == [record[name] for name in same]
    for study, name, problem in (
        ("digits", "digits/methods.csv", "is not the runs.csv of a study"),
        ("cells", "digits/runs.csv", "has the runs of 'digits', not of 'cells'"),
    ):
        done = run(study, "--from", name, "-o", f"no-{study}")
        assert (done.exit_code, problem in done.stderr, len(done.stderr.splitlines())) == (1, True, 1)


def test_a_run_goes_on_where_an_earlier_one_ended(run, tmp_path, monkeypatch):
    (tmp_path / "two.toml").write_text("threads = 2")
    contexts, measure = [], digits.measure

    def keep(context):
        contexts.append(context)
        return measure(context)

    monkeypatch.setattr(digits, "measure", keep)
    assert run("digits", *SMALL, "--data", tmp_path, "--config", "two.toml").exit_code == 0
    assert str(tmp_path) not in (tmp_path / "digits" / "report.json").read_text()

    def interrupt(context):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(digits, "measure", interrupt)
        done = run("digits", *SMALL)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"note: finished parts are kept in {os.path.join('digits', 'parts')}; the same command resumes",
        "error: interrupted",
    ]
    assert json.loads(run("digits", *SMALL, "--json").stdout)["cpu_seconds"] is None
    first, last = contexts
    assert (first.threads, first.taken_up, last.taken_up) == (2, [], ["draws", "many-rows"])


@pytest.mark.parametrize(
    ("mark", "problem"),
    [(None, "contains other files"), ("cells", "contains the study 'cells', not 'digits'")],
)
def test_a_folder_of_others_stays(run, tmp_path, mark, problem):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "errors.png").write_text("mine")
    if mark:
        (tmp_path / "out" / ".fastsvm-studies").write_text(mark)
    before = {*os.listdir(tmp_path / "out")}
    done = run("digits", *SMALL, "-o", "out")
    assert (done.exit_code, done.stderr) == (1, f"error: out: {problem}; choose another folder with -o\n")
    assert {*os.listdir(tmp_path / "out")} == before
    for options in ["--runs", "1"], ["--data", "absent"], ["--seed", "-1"], ["--threads", "2"]:
        done = run("digits", *options)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)


def test_all_goes_on_after_a_failure_and_has_a_page_and_a_gallery(run, tmp_path, monkeypatch):
    def fail(context):
        raise AppError("no data")

    monkeypatch.setattr(kernels, "measure", fail)
    monkeypatch.setattr(commands, "STUDIES", {name: commands.STUDIES[name] for name in ("kernels", "digits")})
    done = run("all", *SMALL)
    assert (done.exit_code, done.stderr) == (1, f"{commands.WITHOUT_DATA}\nkernels: no data\n")
    assert done.stdout.splitlines()[-1].startswith("7 claims, ")
    assert max(map(len, done.stdout.splitlines())) <= 80
    verdicts = [
        line[:16].strip() for line in done.stdout.splitlines() if line[16:18] == "  " and line[0] != " "
    ]
    assert sorted(verdicts, key=[*Verdict].index) == verdicts
    assert len(verdicts) == 7
    assert {*os.listdir(tmp_path / "studies" / "digits")} == FILES
    links = [at["href"] for at, _ in Reader((tmp_path / "studies" / "index.html").read_text()).all("a")]
    assert links == ["#digits-5-and-6:-pegasos-with-an-intercept", "#rules", "digits/report.html"]
    done = run("gallery", "studies/digits", "-o", "docs")
    assert (done.exit_code, done.stderr, done.stdout) == (0, "", "docs/digits.md\ndocs/README.md\n")
    assert {*os.listdir(tmp_path / "docs" / "digits")} == {
        *(name for name in FILES if name.endswith(".png")),
        "report.json",
    }
    text = (tmp_path / "docs" / "digits.md").read_text()
    assert "![Test errors of all draws](digits/errors.png)" in text
    assert "comparisons behind the verdicts</summary>" in text
    assert "| [digits](digits.md) |" in (tmp_path / "docs" / "README.md").read_text()
    (tmp_path / "docs" / "digits.md").write_text("# Mine\n")
    done = run("gallery", "studies/digits", "-o", "docs")
    assert done.exit_code == 2
    assert "is not a page of fastsvm-studies gallery, and is not replaced" in done.stderr
    for text in "{", "[]", '{"study": "../digits"}':
        (tmp_path / "studies" / "digits" / "report.json").write_text(text)
        done = run("gallery", "studies/digits", "-o", "docs")
        assert (done.exit_code, "not a report of a study" in done.stderr) == (1, True)


def test_pictures_become_small(monkeypatch):
    monkeypatch.setattr(docs_pages, "LIMIT_BYTES", 25_000)
    noise = np.random.default_rng(0).integers(0, 256, (150, 300, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, format="PNG")
    small = docs_pages.small_picture(file.getvalue(), "noise.png")
    assert len(small) <= docs_pages.LIMIT_BYTES < file.tell()
    with Image.open(io.BytesIO(small)) as image:
        assert image.width / image.height == pytest.approx(2, rel=0.02)
    assert docs_pages.small_picture(small, "noise.png") is small
    monkeypatch.setattr(docs_pages, "LIMIT_BYTES", 100)
    with pytest.raises(AppError, match="draw less"):
        docs_pages.small_picture(small, "noise.png")


@needs_chromium
@pytest.mark.parametrize("width", [390, pytest.param(1200, marks=pytest.mark.slow)])
def test_the_page_in_a_browser(run, tmp_path, width):
    run("digits", *SMALL)
    page = (tmp_path / "digits" / "report.html").read_text()
    script = (
        "const fold = document.querySelector('details'); fold.open = true;"
        "const fits = document.documentElement.scrollWidth <= innerWidth;"
        "return [document.title, fits, fold.querySelectorAll('tr').length]"
    )
    result, problems = run_in_page(page, script, tmp_path, width)
    assert result == [digits.TITLE, True, 9]
    assert problems == []
