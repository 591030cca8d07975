"""The scaffolding of a report: one HTML page that needs nothing but itself, written in one go."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable, Sequence
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
    boxes = "\n".join(
        f"<div><dt>{name}</dt><dd>{value if isinstance(value, str) else f'{value:,}'}</dd></div>"
        for name, value in facts
    )
    return f'<dl class="facts">\n{boxes}\n</dl>'


def with_links(sections: Iterable[tuple[str, str, str]]) -> str:
    """Return sections (id, heading, HTML) after links to each; one without content is left out."""
    sections = [section for section in sections if section[2]]
    links = "\n".join(f'<a href="#{name}">{heading}</a>' for name, heading, _ in sections)
    return "\n".join(
        [
            f'<nav aria-label="Sections">\n{links}\n</nav>' if links else "",
            "<main>",
            *(
                f'<section id="{name}" aria-labelledby="{name}-heading">\n'
                f'<h2 id="{name}-heading">{heading}</h2>\n{content}\n</section>'
                for name, heading, content in sections
            ),
            "</main>",
        ]
    )


def packaged(package: str, name: str) -> str:
    """Return the text of a file that lies beside the modules of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def scroll_box(name: str, content: str, *, fit: bool = True) -> str:
    """Return a box of HTML that scrolls by itself, as narrow as what is in it if it is to `fit`."""
    kind = "scroll fit" if fit else "scroll"
    return f'<div class="{kind}" tabindex="0" role="region" aria-label="{name}">\n{content}\n</div>'


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
    table = (
        f'<table class="confusion">\n{caption}<thead><tr><td></td>{heads}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )
    return scroll_box("Confusion table", table)


def data_uri(content: bytes, media_type: str) -> str:
    """Return a URI that is the content itself."""
    return f"data:{media_type};base64,{b64encode(content).decode()}"


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a page that loads nothing, and runs no script but the one given here.

    Parameters
    ----------
    title : str
        Plain text.
    body : str
        HTML, with everything that is not the program's own escaped by `text`.
    style, script : str
        Follow what every page has: `page.css`, and `page.js`, which makes tables sortable.

    Returns
    -------
    str
        To be written by `write_page`.
    """
    style = f"\n{packaged(__package__, 'page.css')}{style}"
    script = f"\n{packaged(__package__, 'page.js')}{script}"
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{text(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
<script>{script}</script>
</body>
</html>
"""


def write_page(path: str | os.PathLike[str], content: str) -> None:
    """Write a page in one go."""
    replace_file(path, content.encode())


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
