"""A study's folder, what it prints, and that nothing is computed twice or lost."""

import csv
import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from devtools import run_in_page

from browser import Reader, needs_chromium
from fastsvm_apps.studies.commands import study_commands as commands
from fastsvm_apps.studies.commands.study_commands import WITHOUT_DATA

FILES = {
    *("curve.png", "photo.gif", "errors.csv", "all.csv", "claims.csv", "report.html", "report.json"),
    *("parts", ".fastsvm-studies"),
}


def test_a_study_leaves_a_folder(run, tmp_path):
    done = run("fake", "--runs", 2, "--seed", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    folder = tmp_path / "fake"
    assert {*os.listdir(folder)} == FILES
    assert (folder / "errors.csv").read_text() == "run,error\n0,0.0\n1,0.125\n2,0.25\n"
    assert (folder / "all.csv").read_text().splitlines()[0] == "'=1+1"
    with open(folder / "claims.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == ["held", "cannot be tested"]
    record = json.loads((folder / "report.json").read_text())
    assert record["command"] == "fastsvm-studies fake --runs 2 --seed 3 -o fake"
    assert {*record["files"], "report.json", "parts", ".fastsvm-studies"} == FILES
    assert {*record["seconds"]} == {"work", "draw"}


def test_the_study_of_kernels_has_a_wider_grid(fake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.kernels", fake)
    command = commands.study_command("kernels", "A fake")
    for args, grid in ((), "document"), (("--grid", "wider"), "wider"):
        done = CliRunner().invoke(command, [*args, "--json"])
        wanted = f"fastsvm-studies kernels --grid {grid} --seed 0 -o kernels"
        assert json.loads(done.stdout)["command"] == wanted
        assert fake.contexts[-1].grid == grid
    assert CliRunner().invoke(command, ["--grid", "huge"]).exit_code == 2


def test_options_reach_the_study(run, fake, tmp_path):
    (tmp_path / "two.toml").write_text("threads = 2")
    done = run("fake", "--data", tmp_path, "--quick", "--config", tmp_path / "two.toml")
    (context,) = fake.contexts
    assert (context.data, context.quick, context.threads) == (str(tmp_path), True, 2)
    assert (context.runs, context.seed, context.parts.folder) == (None, 0, Path("fake", "parts"))
    assert str(tmp_path) not in done.stdout + (tmp_path / "fake" / "report.json").read_text()


def test_a_run_goes_on_where_an_earlier_one_ended(run, fake):
    assert json.loads(run("fake", "--json").stdout)["cpu_seconds"] > 0
    assert json.loads(run("fake", "--json").stdout)["cpu_seconds"] is None
    assert fake.computed == 1
    run("fake", "--seed", 1)
    assert fake.computed == 2


def test_files_of_an_earlier_report_go(run, tmp_path):
    run("fake")
    folder = tmp_path / "fake"
    record = json.loads((folder / "report.json").read_text())
    record["files"] += ["old.png", "../outside.png"]
    (folder / "report.json").write_text(json.dumps(record))
    for path in folder / "old.png", folder / "mine.png", tmp_path / "outside.png":
        path.touch()
    run("fake")
    assert {*os.listdir(folder)} == FILES | {"mine.png"}
    assert (tmp_path / "outside.png").exists()


@pytest.mark.parametrize(
    ("mark", "problem"), [(None, "has files of others"), ("cells", "is of 'cells', not of 'fake'")]
)
def test_a_folder_of_others_stays(run, fake, tmp_path, mark, problem):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "curve.png").write_text("mine")
    if mark:
        (tmp_path / "out" / ".fastsvm-studies").write_text(mark)
    before = {*os.listdir(tmp_path / "out")}
    done = run("fake", "-o", "out")
    assert (done.exit_code, done.stderr) == (1, f"error: out: {problem}; choose another folder with -o\n")
    assert {*os.listdir(tmp_path / "out")} == before
    assert (tmp_path / "out" / "curve.png").read_text() == "mine"
    assert fake.computed == 0


@pytest.mark.parametrize(
    "args", [["--runs", "1"], ["--data", "absent"], ["--seed", "-1"], ["--threads", "2"]]
)
def test_bad_options_are_usage(run, args):
    done = run("fake", *args)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_study_that_fails_says_so_in_a_line(run, tmp_path):
    done = run("fake", fails="usps.npz: no NPZ file")
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "error: usps.npz: no NPZ file\n")
    assert os.listdir(tmp_path / "fake") == [".fastsvm-studies"]


def test_an_interrupted_study_goes_on(run, fake, tmp_path, monkeypatch):
    run("fake")

    def interrupt(context):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fake, "run", interrupt)
        done = run("fake", "--seed", 1)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"note: finished parts are kept in {os.path.join('fake', 'parts')}; the same command resumes",
        "error: interrupted",
    ]
    assert run("fake").exit_code == 0
    assert fake.computed == 1


# All of them


def test_all_ends_with_a_table_and_a_page(run, tmp_path):
    done = run("all", "-o", "out")
    assert (done.exit_code, done.stderr) == (0, f"{WITHOUT_DATA}\n")
    assert done.stdout.splitlines()[-1] == "2 claims, 1 held, 1 cannot be tested: out/index.html"
    assert {*os.listdir(tmp_path / "out")} == {"fake", "index.html", "claims.csv", ".fastsvm-studies"}
    assert {*os.listdir(tmp_path / "out" / "fake")} == FILES
    links = [at["href"] for at, _ in Reader((tmp_path / "out" / "index.html").read_text()).all("a")]
    assert links == ["#a-study-of-nothing", "fake/report.html"]
    assert run("fake", "-o", "out").exit_code == 1


def test_all_goes_on_after_a_failure(run, fake, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.second", type(fake)())
    monkeypatch.setitem(commands.STUDIES, "second", "Another")
    done = run("all", "--data", tmp_path, fails="no data")
    assert (done.exit_code, done.stderr) == (1, "fake: no data\n")
    assert done.stdout.splitlines()[-1] == "2 claims, 1 held, 1 cannot be tested: studies/index.html"
    assert {*os.listdir(tmp_path / "studies" / "second")} == FILES


# The page


@pytest.fixture
def page(run, tmp_path):
    run("fake")
    return (tmp_path / "fake" / "report.html").read_text()


@needs_chromium
@pytest.mark.parametrize("width", [390, pytest.param(1200, marks=pytest.mark.slow)])
def test_the_page_in_a_browser(page, tmp_path, width):
    script = "return [document.title, document.documentElement.scrollWidth <= innerWidth]"
    result, problems = run_in_page(page, script, tmp_path, width)
    assert result == ["A study of nothing", True]
    assert problems == []
