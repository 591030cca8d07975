"""The site: `sphinx-build -W docs docs/_build` after `pip install -e ".[docs]"`."""

import os
import re
import sys
import tomllib
from importlib.metadata import version as installed_version
from inspect import Signature, signature
from pathlib import Path
from shutil import rmtree

from sphinx.util.inspect import stringify_signature

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
# Pages whose text lies elsewhere in the repository.
ELSEWHERE = {
    "changelog": "CHANGELOG.md",
    "measurements/cell_model": "apps/cells/shipped/MODEL_CARD.md",
    "measurements/english_model": "apps/sentiment/shipped/MODEL_CARD.md",
    "internals/contributing": "CONTRIBUTING.md",
    "measurements/benchmarks": "benchmarks/README.md",
    "measurements/samples": "data/README.md",
}
sys.path.insert(0, str(DOCS / "_ext"))
PAGES = {ROOT / "README.md": DOCS / "index.md"}
PAGES |= {ROOT / file: DOCS / f"{name}.md" for name, file in ELSEWHERE.items()}

project = "fastsvm"
version = release = installed_version("fastsvm")
author = "The fastsvm developers"
project_copyright = author
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "command_pages",
    "formulas",
    "guide_links",
    "page_heads",
    "small_screens",
]
exclude_patterns = ["_build", "examples"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(DOCS / "_ext" / "search_scorer.js")
html_title = f"fastsvm {version}"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False, "header_links_before_dropdown": 5}
urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
if "OWNER" not in urls["Homepage"]:
    html_theme_options["github_url"], html_baseurl = urls["Homepage"], urls["Documentation"]
html_sidebars = {"index": [], "install": [], "faq": [], "cheat_sheet": [], "changelog": []}
html_show_sourcelink = False
default_role = "code"
highlight_language = "none"
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # docstrings have them
smartquotes = False  # -- is an option
autodoc_mock_imports = ["onnx", "onnxruntime", "skl2onnx"]
autosummary_imported_members = True
autosummary_ignore_module_all = False
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
html_math_renderer = "mathml"
copied = (".highlight-sh", ".highlight-console", ".highlight-python", ".highlight-Python", ".doctest")
copybutton_selector = f"div:is({', '.join(copied)}) pre"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
linkcheck_ignore = ["http://127.0.0.1"]
numpydoc_show_class_members = False
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "subsection_order": ["examples/texts", "examples/cells", "examples/python"],
    "thumbnail_size": (800, 560),
    "download_all_examples": False,
    "write_computation_times": False,
    "min_reported_time": 1e6,
    "abort_on_example_error": True,
}
for drawn in (DOCS / "gallery").rglob("plot_*.rst"):
    if not (DOCS / "examples" / drawn.relative_to(DOCS / "gallery")).with_suffix(".py").exists():
        rmtree(DOCS / "gallery")  # an example was moved or removed
        break


def show(app, docname, source):
    """Take the text of a page from where it lies, and lead links to files that have a page to that page."""
    page = DOCS / f"{docname}.md"
    origin = ROOT / ELSEWHERE[docname] if docname in ELSEWHERE else page
    if not origin.exists():
        return
    if docname in ELSEWHERE:
        source[0] = origin.read_text(encoding="utf-8")
        app.env.note_dependency(str(origin))
    elif docname == "studies/README":  # `fastsvm-studies gallery` makes it
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"

    def lead(link):
        if ":" in link[1]:
            return link[0]
        target = (origin.parent / link[1]).resolve()
        return f"]({os.path.relpath(PAGES.get(target, target), page.parent)}{link[2] or ''})"

    source[0] = re.sub(r"\]\(([^)#\s]+)(#[^)\s]*)?\)", lead, source[0])


def escape(app, what, name, thing, options, lines):
    """Docstrings say coef_ and |w|; in reStructuredText these are a link and a substitution."""
    literal = None  # how far the text before a literal block is indented
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip() and indent <= literal:
            literal = None
        if literal is None and not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`+.*?`+|\*\*.*?\*\*)", line)  # not in code or names
            parts[::2] = (re.sub(r"(\b\w+(?=_(?!\w))|(?<!\\)(?=\|))", r"\1\\", part) for part in parts[::2])
            lines[number] = "".join(parts)
            literal = indent if line.endswith("::") else None


def sign(app, what, name, thing, options, arguments, returned):
    """Show the parameters of a model, not those of its `__new__`, which only checks their names."""
    if what == "class" and arguments == "(*args, **params)":
        found = signature(thing).replace(return_annotation=Signature.empty)
        return stringify_signature(found, show_annotation=False), None
    return None


def setup(app):
    """Sphinx calls this."""
    app.connect("autodoc-process-signature", sign)
    app.connect("autodoc-process-docstring", escape, priority=900)  # after numpydoc
    app.connect("source-read", show)
