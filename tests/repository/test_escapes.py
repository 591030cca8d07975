"""What comes from a file reaches a terminal, a CSV table or a page through one escape each."""

import ast
import csv
import importlib
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from fastsvm_apps.common.csv_quoting import quoted, unquoted

ROOT = Path(__file__).parents[2]
# What only these files of apps/ call. Markup is made of constants, and of what is escaped in the same line.
OWNERS = {
    "print": "common/printing.py",
    "click.echo": "common/app.py common/printing.py",
    "sys.stdout.write": "common/printing.py",
    "console": "common/printing.py common/progress.py sentiment/output/explanation_output.py",
    "csv.writer": "common/csv_quoting.py",
    # These call `unquoted`; a study's own tables have no text of a user.
    "csv.reader": "common/number_tables.py cells/data/label_tables.py sentiment/data/record_formats.py",
    "csv.DictReader": "studies/report/output.py studies/report/study.py studies/report/verdicts.py",
    "Environment": "common/html_pages.py",
    "Markup": "common/html_pages.py studies/report/study_pages.py sentiment/output/highlights.py",
    # Images are opened as `find_images` found them: it knows how many bits they use.
    "ImageReader": "cells/data/image_files.py cells/data/image_reader.py cells/data/boxes.py",
    **dict.fromkeys(("click.secho", "csv.DictWriter", "sys.stderr.write"), ""),
}


def test_nothing_is_printed_or_written_beside_the_escapes():
    for path in (ROOT / "apps").rglob("*.py"):
        assert "csv.reader(" not in path.read_text() or "unquoted(" in path.read_text(), path
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in OWNERS:
                assert path.relative_to(ROOT / "apps").as_posix() in OWNERS[name].split(), (path, node.lineno)
            assert name != "Environment" or "autoescape=True" in ast.unparse(node)
    for path in (ROOT / "apps").rglob("*.html"):
        marked = re.findall(
            r"([^{\s]+)\s*\|\s*safe", re.sub(r"' [a-z-]+=\"[a-z]+\"'\|safe", "", path.read_text())
        )
        assert marked in ([], ["style_hash", "script_hash"]), path
        assert "autoescape" not in path.read_text()


LABELS, NAME = ["=1+1\x1b[31m\r.", "＝1\n<script>a b"], "=a\x1b\r<script>"
LINES = {
    "vectors": """fit t.csv -o v.safetensors; predict v.safetensors t.csv --scores; path t.csv; cv t.csv
        certify v.safetensors t.csv; convert t.csv out.csv""",
    "sentiment": """train c.csv -o s.safetensors --recipe nb-words --report r.html
        explain s.safetensors --csv; explain s.safetensors; inspect c.csv -o i.csv
        evaluate s.safetensors c.csv --mistakes m.csv --report e.html; predict s.safetensors texts -o p.csv
        export s.safetensors --to liblinear -o l.model""",
    "cells": """train images -o i.safetensors --suspects s.png; adapt i.safetensors images -o a.safetensors
        classify images -m i.safetensors -o cells.csv --report c.html; crop images -o crops
        evaluate i.safetensors images --labels cells.csv; explain IMAGE -m i.safetensors""",
}


@pytest.mark.parametrize("app", LINES)
def test_hostile_names_are_escaped_by_every_command(app, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("t.csv", "w", newline="") as table, open("c.csv", "w", newline="") as corpus:
        csv.writer(table).writerows([k % 2 + k % 7 / 20, k, LABELS[k % 2]] for k in range(40))
        words = [("good", "bad")[(k % 5 == 0) ^ k % 2] for k in range(200)]
        texts = [(LABELS[k % 2], f"{word} =1+{k % 9} <b>\x1b") for k, word in enumerate(words)]
        csv.writer(corpus).writerows([("label", "text"), *texts])
    Path("texts").write_text("good <b>\nbad\n")
    for kind, label in zip(("LYMPHOCYTE", "MONOCYTE"), LABELS, strict=True):
        shutil.copytree(ROOT / "data/cells/images" / kind, f"images/{label}")
        next(Path("images", label).iterdir()).rename(f"images/{label}/{NAME}.jpg")
    shutil.copytree(f"images/{LABELS[0]}", "images/not UTF-8 \udcff")
    main = importlib.import_module(f"fastsvm_apps.{app}.cli").main
    image = f"images/{LABELS[0]}/{NAME}.jpg"
    lines = [
        [{"IMAGE": image}.get(word, word) for word in line.split()] for line in re.split("[;\n]", LINES[app])
    ]
    assert {command for command, *_ in lines} == {*main.commands} - {"serve", "review", "sample"}
    for line in lines:
        done = CliRunner().invoke(main, line)
        assert done.exit_code in (0, 3), (line, done.output)
        if line[-1] == "--csv":
            Path("printed.csv").write_text(done.stdout)
        else:  # once, and read back by evaluate: the images of cells.csv are found
            found = re.search(r"\x1b|^<script>|\\\\|no label", done.output, re.MULTILINE)
            assert not found, (line, done.output)
    for path in {*tmp_path.rglob("*.csv")} - {tmp_path / "t.csv", tmp_path / "c.csv"}:
        with open(path, newline="", errors="surrogateescape") as file:
            rows = list(csv.reader(file))
        for row in rows:
            assert [quoted(unquoted(cell)) for cell in row] == row, path
            assert len(row) == len(rows[0]), (path, row)
    for path in tmp_path.glob("*.html"):
        assert not re.search("<script>a|\x1b", path.read_text()), path
