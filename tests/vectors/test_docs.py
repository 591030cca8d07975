"""The session in docs/guide/vectors.md, with other numbers where a processor rounds in another way."""

import re
import shlex
from pathlib import Path

import numpy as np
from click.testing import CliRunner
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fastsvm_apps.vectors.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "vectors.md"


def without_digits(text):
    return re.sub(r" *[\d.]+(e-\d+)?", " #", text)


def test_the_commands_of_the_page_print_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_wine(return_X_y=True)
    np.savetxt("wine.csv", np.column_stack([scale(X), y + 1]), delimiter=",")
    Path("broken").write_text("1 1:1\n0 2:1 1:1\n")
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    runs = [run.partition("\n") for run in "".join(blocks).split("$ fastsvm ")[1:]]
    assert len(runs) == 6
    for command, _, output in runs:
        done = CliRunner().invoke(main, shlex.split(command), prog_name="fastsvm")
        assert without_digits(done.output.strip()) == without_digits(output.strip()), command
