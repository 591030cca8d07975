"""The built site: guide and API lead to each other. Build it first: `sphinx-build docs docs/_build`."""

import subprocess
from pathlib import Path
from posixpath import join, normpath

import pytest

import fastsvm
from browser import find_chromium, needs_chromium

bs4 = pytest.importorskip("bs4")

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom")
DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS / "_build"
API = "reference/generated/"
NAMES = {name for name in fastsvm.__all__ if name != name.lower()}


@pytest.fixture(scope="module")
def articles():
    """The text of each page."""
    built = SITE / "objects.inv"  # written last
    sources = [*DOCS.glob("conf.py"), *DOCS.glob("_ext/*.py")]
    if not built.exists() or built.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        pytest.skip("the site is not built, or older than docs/conf.py")
    pages = {
        path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")
    }
    found = {name: bs4.BeautifulSoup(page, "html.parser").article for name, page in pages.items()}
    return {name: article for name, article in found.items() if article}


def links(name, article):
    """The pages to which a page leads."""
    hrefs = (link["href"].partition("#")[0] for link in article.select("a[href]"))
    return {normpath(join(name, "..", href)) for href in hrefs if href and ":" not in href}


def test_pages_that_name_a_class_lead_to_it(articles):
    named = 0
    for name, article in articles.items():
        for code in article.select("p code, li code, td code"):
            if code.text in NAMES and name != f"{API}fastsvm.{code.text}.html":
                assert code.find_parent("a"), (name, code.text)
                named += 1
    assert named > 50


def test_each_class_and_its_page_of_the_guide_lead_to_each_other(articles):
    classes = {
        name: article for name, article in articles.items() if article.select("dl.py.class, dl.py.exception")
    }
    assert len(classes) > 50
    for name in classes:
        guides = [page for page in links(name, articles[name]) if page.startswith(("guide/", "start/"))]
        assert any(name in links(page, articles[page]) for page in guides), name


def test_formulas_are_typeset(articles):
    shown = articles[f"{API}fastsvm.SDCAClassifier.html"]
    assert shown.select("math msub")
    assert "sum_i" not in shown.text


def test_each_command_has_a_page_with_its_options(articles):
    train = articles["reference/commands/fastsvm-sentiment-train.html"]
    assert "[default: " in train.text
    assert "fastsvm-sentiment train" in train.select_one(".highlight-sh").text
    pages = [name for name in articles if name.startswith("reference/commands/")]
    assert len(pages) > 25
    assert all("--help" in articles[name].text for name in pages)


def test_cells_of_wide_tables_name_their_column(articles):
    row = articles["measurements/solvers.html"].select_one("table.cards tbody tr")
    assert len(row.select(".column")) > 2


def test_an_option_stays_with_its_value(articles):
    block = articles["start/cells.html"].select_one(".highlight-sh")
    commands = block.select(".command")
    assert "\n".join(line.text for line in commands) == block.text.strip()
    assert "--report smears.html" in [option.text for line in commands for option in line.select(".option")]


@needs_chromium
@pytest.mark.parametrize(
    ("query", "page"),
    [("classify+folder+of+text+files", "start/texts"), ("windows", "faq"), ("rare+label", "guide/")],
)
def test_search_finds_the_page_for_the_task_first(articles, tmp_path, query, page):
    command = [
        find_chromium(),
        *FLAGS,
        f"--user-data-dir={tmp_path}",
        f"{(SITE / 'search.html').as_uri()}?q={query}",
    ]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    first = bs4.BeautifulSoup(shown, "html.parser").select_one("#search-results ul.search a")
    assert first["href"].startswith(page)
