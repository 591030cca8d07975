"""HTML pages from templates: each is one self-contained file, or is served with its pictures."""

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources

from .printing import many, printable
from .sections import Line, Section

_OPTION = re.compile(r"\(?--[a-z-]+\)?")
ROOM = 60  # characters of a long word that are shown


def sections_page(heading: Line, head: Section, sections: Sequence[Section], kind: str = "texts") -> str:
    """Return a page of sections.

    Jinja2 escapes all texts; control characters become visible.

    Parameters
    ----------
    heading : Line
        The title.
    head : Section
        The text below the title: facts, and lines that are shown as notices.
    sections : sequence of Section
        The sections; those without a title are left out.
    kind : {"texts", "studies", "cells", "cells served"}
        The class of the page in style.css. A served page may load pictures from its own server, and send
        requests to it.
    """
    from markupsafe import Markup

    folder = resources.files(__package__) / "templates"
    sources = ((folder / asset).read_text(encoding="utf-8") for asset in ("style.css", "script.js"))
    style, script = (Markup(f"\n{source}") for source in sources)
    hashes = {"style_hash": _policy_hash(style), "script_hash": _policy_hash(script)}
    page = _template(__package__, "templates", "sections.html").render(
        heading=heading,
        head=head,
        shown=[section for section in sections if section.title],
        kind=kind,
        served="served" in kind,
        style=style,
        script=script,
        **hashes,
    )
    return page.lstrip()  # without the blank lines of the macros


def macros(package: str, name: str, **shared: object):
    """Return the macros of a template in the folder of a package, with `shared` as global variables."""
    return _template(package, "", name).make_module(shared)


def data_uri(content: bytes, media_type: str):
    """Return a URI that contains the content, as markup."""
    from markupsafe import Markup

    return Markup(f"data:{media_type};base64,{b64encode(content).decode()}")


def shorten(word: str, room: int = ROOM) -> str:
    """Return a word, or the beginning of a long one."""
    return word if len(word) <= room else f"{word[: room - 1]}…"


def whole_options(text: str):
    """Return a text as markup in which no option name is broken across lines."""
    from markupsafe import Markup, escape

    return Markup(_OPTION.sub(r'<span class="whole">\g<0></span>', str(escape(printable(text)))))


@cache
def _template(package: str, folder: str, name: str):
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(package, folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_with_visible_controls,
    )
    environment.filters |= {"shorten": shorten, "thousands": "{:,}".format, "whole_options": whole_options}
    environment.globals |= {"many": many}
    return environment.get_template(name)


def _with_visible_controls(value: object) -> object:
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _policy_hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
