"""What the documentation shows is what happens."""

import doctest
import importlib
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import doc_pages
import fastsvm

README = Path(__file__).parents[2] / "README.md"
DOCS = README.parent / "docs"
SOURCES = Path(fastsvm.__file__).parent
WITH_EXAMPLES = [
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and path.parent.name not in ("dask", "onnx")  # of extras
]


# Pages that speak of models and smears, and the slow ones.
TEXTS = {"guide/improve_text", "guide/text", "guide/vectorisers", "guide/input_formats", "guide/scale"}
CELLS = {"guide/cells", "guide/own_laboratory"}
SLOW = {f"guide/{name}" for name in ("kernel", "deployment", "scale", "text", "vectorisers")}
SLOW |= {*CELLS, "measurements/kernel", "start/cells"}


def pages():
    """The pages with blocks of code. Pages of studies and commands are generated."""
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        has_code = re.search(r"^```(?:sh|python)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        if has_code and path.parent.name not in ("studies", "commands"):
            yield pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())


@pytest.mark.parametrize("name", [*pages()])
def test_the_blocks_of_a_page(name, tmp_path):
    if name == "guide/deployment":
        pytest.importorskip("skl2onnx")
        pytest.importorskip("skops")
    doc_pages.prepare(tmp_path)
    if name in TEXTS:
        doc_pages.prepare_texts(tmp_path)
    if name in CELLS:
        doc_pages.prepare_cells(tmp_path)
    assert doc_pages.run_page((DOCS / f"{name}.md").read_text(encoding="utf-8"), tmp_path)


def block(name):
    """The fenced block after a comment in the README."""
    pattern = rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```"
    return re.search(pattern, README.read_text(encoding="utf-8"), re.DOTALL)[1]


def test_the_example_of_the_readme():
    out = io.StringIO()
    with redirect_stdout(out):
        exec(block("example"), {})
    doc_pages.check_output(block("output: example"), out.getvalue())


def test_the_output_of_the_readme(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from fastsvm_apps.sentiment.cli import main

    monkeypatch.chdir(tmp_path)
    Path("reviews.csv").write_text(CliRunner().invoke(main, ["sample"]).stdout, encoding="utf-8")
    result = CliRunner().invoke(main, ["train", "reviews.csv"])
    assert result.exit_code == 0
    doc_pages.check_output(block("output: train"), result.stdout)


@pytest.mark.skipif(not (README.parent / "fastsvm").is_dir(), reason="needs the sources: run it in a clone")
def test_the_readme_is_short_and_its_links_lead_somewhere():
    """Building the site checks the links of all other pages."""
    text = README.read_text(encoding="utf-8")
    assert text.count("\n") <= 125
    assert len(text.split()) <= 900
    for path, heading in re.findall(r"\]\(([^)#:]+)#?([^)]*)\)", text):
        page = README.parent / path
        assert page.exists(), path
        headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE) if heading else []
        assert heading in ["", *(re.sub(r"[^\w -]", "", name).lower().replace(" ", "-") for name in headings)]


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_in_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"fastsvm.{module}"))
    assert found.attempted > 0
    assert found.failed == 0
