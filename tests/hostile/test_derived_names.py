"""A file whose name no user gave replaces only a file that the same program wrote."""

import shutil
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from fastsvm_apps.common.paths import FOLDER, Writes

ROOT = Path(__file__).parents[2]
MAINS = [
    import_module(f"fastsvm_apps.{app}.cli").main for app in ("vectors", "sentiment", "cells", "studies")
]
# The options of folders that may have files before a run, and a run that writes into the folder `out`.
RUNS = {
    "cells classify overlay": "classify images --overlay out",
    "cells classify export": "classify images --export out",
    "cells crop output": "crop images -o out",
    "cells crop steps": "crop images -o boxes.csv --steps out",
    "studies gallery output": f"gallery {ROOT}/docs/studies/digits -o out",
}
# Those of folders that no run takes if they have any other file.
WHOLE = {"cells sample output": "sample -o out", "studies compare output": "compare rows.csv -o out"}
WHOLE |= {f"studies {name} output": f"{name} -o out" for name in ("digits", "kernels", "solvers", "all")}
WHOLE |= {f"studies {name} output": f"{name} -o out" for name in ("cells", "sentiment")}
HASHED = {"sentiment train checkpoint"}  # its names end in 16 hexadecimal digits


def run(line):
    app, *words = line.split()
    main = next(main for main in MAINS if main.name == f"fastsvm-{app}")
    return CliRunner().invoke(main, words)


@pytest.fixture(autouse=True)
def images(tmp_path, monkeypatch):
    """Make `images` in an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for kind in ("LYMPHOCYTE", "MONOCYTE"):
        (folder := tmp_path / "images" / kind).mkdir(parents=True)
        shutil.copy(min((ROOT / "data/cells/images" / kind).iterdir()), folder)
    Path("rows.csv").write_text("".join(f"{k % 2},{k % 5},{k % 3}\n" for k in range(40)))
    return tmp_path / "images"


def test_every_option_of_a_folder_is_known_here():
    roles = [
        (f"{main.name} {command.name} {name}".removeprefix("fastsvm-"), role)
        for main in MAINS
        for command in main.commands.values()
        for name, role in [
            *((each.name, each.type) for each in command.params),
            *command.only_in_config.items(),
        ]
    ]
    found = {name for name, role in roles if isinstance(role, Writes) and FOLDER in role.kinds}
    assert found == {*RUNS, *WHOLE} | HASHED, "may it replace a file of the user?"


@pytest.mark.parametrize("option", RUNS)
def test_no_derived_name_replaces_a_file_of_the_user(option, tmp_path):
    line = f"{option.split()[0]} {RUNS[option]}"
    assert (done := run(line)).exit_code == 0, done.stderr
    out = tmp_path / "out"
    wrote = sorted(path for path in out.rglob("*") if path.is_file())
    shutil.copytree(out, tmp_path / "first")
    (out / "another.txt").write_text("mine")
    assert (done := run(line)).exit_code == 0, done.stderr
    for path in wrote:
        for foreign in b"mine", (ROOT / "data/cells/empty/smear_40.jpg").read_bytes():
            shutil.rmtree(out)
            path.parent.mkdir(parents=True)
            path.write_bytes(foreign)
            done = run(line)
            assert (done.exit_code, done.stderr.count("\n")) in ((1, 1), (2, 1)), (path, done.stderr)
            assert str(path.parent.relative_to(tmp_path)) in done.stderr
            assert "choose another" in done.stderr
            assert path.read_bytes() == foreign
            assert [each for each in out.rglob("*") if each.is_file()] == [path]  # before any work
        shutil.rmtree(out)
        path.parent.mkdir(parents=True)
        shutil.copy(tmp_path / "first" / path.relative_to(out), path)  # as an interrupted run leaves it
        if not (option == "studies gallery output" and path.suffix == ".png"):  # it writes the report first
            assert (done := run(line)).exit_code == 0, done.stderr


@pytest.mark.parametrize("option", WHOLE)
def test_a_folder_with_other_files_is_not_taken(option, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/report.html").write_text("mine")
    done = run(f"{option.split()[0]} {WHOLE[option]}")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "give another folder" in done.stderr or "choose another folder" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.html"]


def test_another_camera_names_its_files_alike(images, tmp_path):
    shutil.copytree(images, tmp_path / "card2")
    (last,) = (tmp_path / "card2/MONOCYTE").iterdir()
    last.rename(last.with_suffix(".JPG"))
    shutil.rmtree(tmp_path / "card2/LYMPHOCYTE")
    done = run("cells classify images --overlay card2")
    assert (done.exit_code, done.stderr.split(": ")[1]) == (2, f"card2/MONOCYTE/{last.stem}.JPG")


@pytest.mark.parametrize("option", [option for option in RUNS if option.startswith("cells")])
def test_images_in_a_folder_for_results_are_counted(option):
    done = run(f"cells {RUNS[option].replace('out', 'images/MONOCYTE')} --json")
    assert done.exit_code == 0, done.stderr
    assert "note: 1 image left out: in images/MONOCYTE, a folder for results\n" in done.stderr
    assert '"n_images": 1,' in done.stdout
    assert '"left_out": 1,' in done.stdout
