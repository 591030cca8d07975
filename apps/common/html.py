"""The scaffolding of a report: one HTML page that needs nothing but itself, written in one go."""

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources

from .files import replace_file
from .output import printable


def text(value: object) -> str:
    """Escape text for an element or a quoted attribute; what cannot be seen in it becomes visible."""
    return escape(printable(str(value)))


def bdi(value: object | None) -> str:
    """Return foreign text as an element, whose direction of writing stays its own."""
    return "" if value is None else f"<bdi>{text(value)}</bdi>"


def fact_boxes(facts: Iterable[tuple[str, object]]) -> str:
    """Return the numbers that a page begins with, each in a box with its name; strings are HTML."""
    boxes = [
        f"<div><dt>{name}</dt><dd>{value if isinstance(value, str) else f'{value:,}'}</dd></div>"
        for name, value in facts
    ]
    return filled(__package__, "facts", boxes="\n".join(boxes))


def with_links(sections: Iterable[tuple[str, str, str]]) -> str:
    """Return sections (id, heading, HTML) after links to each; one without content is left out."""
    sections = [section for section in sections if section[2]]
    links = [f'<a href="#{name}">{heading}</a>' for name, heading, _ in sections]
    parts = [
        filled(__package__, "section", name=name, heading=heading, content=content)
        for name, heading, content in sections
    ]
    navigation = filled(__package__, "links", links="\n".join(links)) if links else ""
    return "\n".join([navigation, "<main>", *parts, "</main>"])


def packaged(package: str, name: str) -> str:
    """Return the text of a file that lies beside the modules of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def _pieces(package: str) -> dict[str, str]:
    _, *found = re.split(r"^<!-- (.*) -->\n", packaged(package, "page.html"), flags=re.MULTILINE)
    return {name: piece.removesuffix("\n") for name, piece in zip(found[::2], found[1::2], strict=True)}


def filled(package: str, name: str, /, **fields: object) -> str:
    """Return the piece of a package's page.html that follows ``<!-- name -->``, its fields filled in.

    Parameters
    ----------
    package, name : str
    **fields
        As for `str.format`; strings are HTML.
    """
    return _pieces(package)[name].format(**fields)


def scroll_box(name: str, content: str, *, fit: bool = True) -> str:
    """Return a box of HTML that scrolls by itself, as narrow as what is in it if it is to `fit`."""
    return filled(__package__, "scroll", kind="scroll fit" if fit else "scroll", name=name, content=content)


def confusion_table(
    names: Sequence[str],
    rows: Iterable[tuple[str, Sequence[str]]],
    *,
    beside: Sequence[str] = (),
    caption: str = "",
) -> str:
    """Return the table of true and predicted labels.

    Parameters
    ----------
    names : sequence of str
        HTML of the predicted labels.
    rows : iterable of (str, sequence of str)
        HTML of a true label and of the cells after it, each with its own tags.
    beside : sequence of str
        Heads of the columns that follow those of the labels.
    caption : str, optional
        HTML.
    """
    heads = "".join(f'<th scope="col" class="number">{name}</th>' for name in (*names, *beside))
    body = "\n".join(f'<tr><th scope="row">{name}</th>{"".join(cells)}</tr>' for name, cells in rows)
    caption = f"<caption>{caption}</caption>\n" if caption else ""
    table = filled(__package__, "confusion", caption=caption, heads=heads, rows=body)
    return scroll_box("Confusion table", table)


def data_uri(content: bytes, media_type: str) -> str:
    """Return a URI that is the content itself."""
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def page(title: str, body: str, *, style: str = "", script: str = "", served: bool = False) -> str:
    """Return a page that loads nothing, and runs no script but the one given here.

    Parameters
    ----------
    title : str
        Plain text.
    body : str
        HTML, with everything that is not the program's own escaped by `text`.
    style, script : str
        Follow what every page has: `page.css`, and `page.js`, which makes tables sortable.
    served : bool, default=False
        Whether it may have pictures from the server that it came from, and talk to it.

    Returns
    -------
    str
        To be written by `write_page`.
    """
    style = f"\n{packaged(__package__, 'page.css')}{style}"
    script = f"\n{packaged(__package__, 'page.js')}{script}"
    hashes = {"style_hash": _hash(style), "script_hash": _hash(script)}
    more = {"own": " 'self'; connect-src 'self'" if served else ""}
    return filled(
        __package__, "page", title=text(title), body=body, style=style, script=script, **hashes, **more
    )


def write_page(path: str | os.PathLike[str], content: str) -> None:
    """Write a page in one go."""
    replace_file(path, content.encode())


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
