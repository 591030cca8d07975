"""What the documentation shows is what happens."""

import doctest
import importlib
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import fastsvm

README = Path(__file__).parents[2] / "README.md"
DOCS = README.parent / "docs"
SOURCES = Path(fastsvm.__file__).parent
WITH_EXAMPLES = [
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and path.parent.name != "dask"  # there is no cluster here
]


def block(name):
    """The fenced block after a comment in the README."""
    pattern = rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```"
    return re.search(pattern, README.read_text(encoding="utf-8"), re.DOTALL)[1]


@pytest.mark.parametrize("name", ["example", "certify"])
def test_the_examples_of_the_readme(name, monkeypatch):
    monkeypatch.chdir(README.parent)
    out = io.StringIO()
    with redirect_stdout(out):
        exec(block(name), {})
    assert out.getvalue() == block(f"output: {name}")


@pytest.mark.parametrize("page", [pytest.param("kernel", marks=pytest.mark.slow), "studies"])
def test_the_examples_of_a_page(page):
    """Each block goes on from the ones before, and prints what is said to be its output."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```(?:\n\n<!-- output -->\n```text\n(.*?)```)?", text, re.DOTALL)
    assert len(examples) == text.count("```python") > 0
    names = {}
    for source, output in examples:
        out = io.StringIO()
        with redirect_stdout(out):
            exec(source, names)
        assert out.getvalue() == output


@pytest.mark.parametrize(
    ("app", "name", "command"),
    [
        ("sentiment", "train", ["train", "data/reviews.txt"]),
        pytest.param(
            *("cells", "cells", ["train", "data/cells/images", "--groups", "data/cells/groups.csv"]),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_output_of_the_readme(app, name, command, tmp_path, monkeypatch):
    from click.testing import CliRunner

    main = importlib.import_module(f"fastsvm_apps.{app}.cli").main
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(README.parent / "data")
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0

    place = 0
    for part in block(f"output: {name}").split("\n...\n"):
        place = result.stdout.find(part.strip("\n"), place)
        assert place >= 0, part


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"fastsvm.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
