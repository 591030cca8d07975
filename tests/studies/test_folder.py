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
    *("curve.png", "photo.gif", "errors.csv", "claims.csv", "comparisons.csv", "runs.csv", "report.html"),
    *("report.json", "parts", ".fastsvm-studies"),
}


def test_a_study_leaves_a_folder_and_its_runs_are_enough(run, fake, tmp_path):
    done = run("fake", "--runs", 2, "--seed", 3)
    assert (done.exit_code, done.stderr) == (0, "")
    folder = tmp_path / "fake"
    assert {*os.listdir(folder)} == FILES
    assert (folder / "errors.csv").read_text() == "'=1+1,error\n0,0.0\n1,0.125\n2,0.25\n"
    with open(folder / "claims.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == ["held", "cannot be tested"]
    assert rows[0]["here"] == "2 of 2 comparisons hold; weakest: second: 0.12"
    assert rows[0]["wider"] == "refuted; third: 0.25"
    assert rows[1]["why"] == "It is about usps, which these runs did not have."
    assert (folder / "comparisons.csv").read_text().splitlines()[1:] == [
        "fake,small,document,first,0.0,0.0,0.0,held",
        "fake,small,document,second,0.125,0.125,0.125,held",
        "fake,small,wider,third,0.25,0.25,0.25,refuted",
        "fake,other,document,,100.0,100.0,100.0,held",
    ]
    record = json.loads((folder / "report.json").read_text())
    assert record["command"] == "fastsvm-studies fake --runs 2 --seed 3 -o fake"
    assert {*record["files"], "report.json", "parts", ".fastsvm-studies"} == FILES
    # Drawn again without running: all but what needs the data, with the versions of the runs.
    runs = (folder / "runs.csv").read_text()
    (folder / "runs.csv").write_text(runs.replace('"numpy": "', '"numpy": "0 or '))
    done = run("fake", "--from", "fake/runs.csv", "-o", "again")
    assert (done.exit_code, done.stderr, fake.computed) == (0, "", 1)
    assert {*os.listdir(tmp_path / "again")} == FILES - {"photo.gif", "runs.csv", "parts"}
    for name in "claims.csv", "comparisons.csv", "errors.csv":
        assert (tmp_path / "again" / name).read_text() == (folder / name).read_text()
    again = json.loads((tmp_path / "again" / "report.json").read_text())
    assert again["versions"] == record["versions"] | {"numpy": f"0 or {record['versions']['numpy']}"}
    assert [again[name] for name in ("command", "seed", "hashes")] == [
        record["command"],
        3,
        {"numbers": "12ab"},
    ]
    for name, problem in (("fake/errors.csv", "is not the runs.csv of a study"), ("of.csv", "not of 'fake'")):
        (tmp_path / "of.csv").write_text((folder / "runs.csv").read_text().replace('"fake"', '"cells"'))
        done = run("fake", "--from", name, "-o", "none")
        assert (done.exit_code, problem in done.stderr, len(done.stderr.splitlines())) == (1, True, 1)


def test_the_study_of_kernels_has_a_wider_grid(fake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.kernels", fake)
    command = commands.study_command("kernels", "A fake")
    monkeypatch.setattr("fastsvm_apps.studies.report.records.captions", lambda: _Captions())
    for args, grid in ((), "document"), (("--grid", "wider"), "wider"):
        done = CliRunner().invoke(command, [*args, "--json"])
        wanted = f"fastsvm-studies kernels --grid {grid} --seed 0 -o kernels"
        assert json.loads(done.stdout)["command"] == wanted
        assert fake.contexts[-1].grid == grid
    assert CliRunner().invoke(command, ["--grid", "huge"]).exit_code == 2


class _Captions(dict):
    def __missing__(self, key):
        return dict.fromkeys(("title", "caption", "source", "differs"), "")


def test_options_reach_the_study(run, fake, tmp_path):
    (tmp_path / "two.toml").write_text("threads = 2")
    done = run("fake", "--data", tmp_path, "--quick", "--config", tmp_path / "two.toml")
    (context,) = fake.contexts
    assert (context.data, context.quick, context.threads) == (str(tmp_path), True, 2)
    assert (context.runs, context.seed, context.parts.folder) == (None, 0, Path("fake", "parts"))
    assert str(tmp_path) not in done.stdout + (tmp_path / "fake" / "report.json").read_text()


def test_a_run_goes_on_where_an_earlier_one_ended(run, fake, monkeypatch):
    assert json.loads(run("fake", "--json").stdout)["cpu_seconds"] > 0

    def interrupt(context):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fake, "measure", interrupt)
        done = run("fake", "--seed", 1)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"note: finished parts are kept in {os.path.join('fake', 'parts')}; the same command resumes",
        "error: interrupted",
    ]
    assert json.loads(run("fake", "--json").stdout)["cpu_seconds"] is None
    assert fake.computed == 1


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
    assert fake.computed == 0


@pytest.mark.parametrize(
    "args",
    [["--runs", "1"], ["--data", "absent"], ["--seed", "-1"], ["--threads", "2"]],
)
def test_bad_options_are_usage(run, args):
    done = run("fake", *args)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


def test_all_ends_with_a_table_and_a_page_and_goes_on_after_a_failure(run, fake, tmp_path, monkeypatch):
    done = run("all", "-o", "out")
    assert (done.exit_code, done.stderr) == (0, f"{WITHOUT_DATA}\n")
    assert done.stdout.splitlines()[-1] == "2 claims, 1 held, 1 cannot be tested: out/index.html"
    assert {*os.listdir(tmp_path / "out")} == {"fake", "index.html", "claims.csv", ".fastsvm-studies"}
    links = [at["href"] for at, _ in Reader((tmp_path / "out" / "index.html").read_text()).all("a")]
    assert links == ["#a-study-of-nothing", "fake/report.html"]
    monkeypatch.setitem(sys.modules, "fastsvm_apps.studies.documents.second", type(fake)())
    monkeypatch.setitem(commands.STUDIES, "second", "Another")
    monkeypatch.setattr("fastsvm_apps.studies.report.records.captions", lambda: _Captions())
    done = run("all", "--data", tmp_path, fails="no data")
    assert (done.exit_code, done.stderr) == (1, "fake: no data\n")
    assert done.stdout.splitlines()[-1] == "2 claims, 1 held, 1 cannot be tested: studies/index.html"
    assert {*os.listdir(tmp_path / "studies" / "second")} == FILES


@needs_chromium
@pytest.mark.parametrize("width", [390, pytest.param(1200, marks=pytest.mark.slow)])
def test_the_page_in_a_browser(run, tmp_path, width):
    run("fake")
    page = (tmp_path / "fake" / "report.html").read_text()
    script = (
        "const fold = document.querySelector('details'); fold.open = true;"
        "const fits = document.documentElement.scrollWidth <= innerWidth;"
        "return [document.title, fits, fold.querySelectorAll('tr').length]"
    )
    result, problems = run_in_page(page, script, tmp_path, width)
    assert result == ["A study of nothing", True, 5]
    assert problems == []
