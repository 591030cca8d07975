"""The scaffolding of a report: one HTML page that needs nothing but itself, written in one go."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape

from .files import replace_file
from .output import printable

STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c2128; --soft: #59636e; --line: #d5dbe1; --page: #ffffff; --panel: #f5f7f9;
  --accent: #0a5aa6; --bad: #b3261e; --bad-panel: #fdecea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #9da7b1; --line: #363d45; --page: #15181c; --panel: #1e2227;
    --accent: #74b3f5; --bad: #ff8f85; --bad-panel: #3a201e;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 72rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.75rem 0 0.75rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); }
.notice {
  max-width: none; padding: 0.5rem 0.875rem; border-left: 3px solid var(--accent); background: var(--panel);
}
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 1.25rem; }
.facts { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.75rem; margin: 1.25rem 0 0; }
.facts div {
  display: flex; flex-direction: column-reverse; justify-content: flex-end;
  padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px;
}
.facts dt { color: var(--soft); font-size: 0.875rem; line-height: 1.3; }
.facts dd { margin: 0; font-size: 1.5rem; font-weight: 600; font-variant-numeric: tabular-nums; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; font-size: 0.9375rem; }
caption { text-align: left; padding-bottom: 0.5rem; color: var(--soft); }
th, td {
  padding: 0.35rem 0.75rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top;
}
th { font-weight: 600; }
.scroll { overflow: auto; max-height: 36rem; border: 1px solid var(--line); border-radius: 6px; }
.scroll table { width: 100%; }
.scroll thead th { position: sticky; top: 0; background: var(--panel); white-space: nowrap; }
.scroll tbody tr:last-child > * { border-bottom: 0; }
.scroll.fit { width: fit-content; max-width: 100%; margin-top: 1rem; }
.confusion caption { padding: 0.5rem 0.75rem; }
.scroll .confusion th { white-space: normal; }
.confusion td { overflow-wrap: normal; }
.confusion bdi { display: inline-block; max-width: 9rem; overflow-wrap: break-word; }
.confusion th[scope="row"] { position: sticky; left: 0; background: var(--page); }
button {
  padding: 0.2rem 0.7rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); color: inherit; font: inherit; cursor: pointer;
}
button:hover { border-color: var(--accent); }
.sortable th button { margin: -0.2rem 0; padding: 0.2rem 0; border: 0; background: none; font-weight: 600; }
.sortable th button::after { content: " ↕"; color: var(--soft); font-weight: 400; }
.sortable th[aria-sort="ascending"] button::after { content: " ↑"; color: var(--accent); }
.sortable th[aria-sort="descending"] button::after { content: " ↓"; color: var(--accent); }
@media (max-width: 40rem) {
  body { padding: 1.25rem 0.875rem 2rem; }
  .facts { grid-template-columns: repeat(2, 1fr); }
  .scroll th, .scroll td { padding: 0.35rem 0.5rem; }
}
@media print {
  :root {
    color-scheme: light;
    --ink: #000000; --soft: #444444; --line: #bbbbbb; --page: #ffffff; --panel: #ffffff;
    --accent: #000000; --bad: #a01810; --bad-panel: #ffffff;
  }
  * { print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, form, .sortable th button::after { display: none !important; }
  h2, h3 { break-after: avoid; }
  tr, figure { break-inside: avoid; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  .scroll thead th { position: static; }
}
"""

# Tables of the class "sortable" get a button in each head. The key of a cell is its data-key or its text; an
# empty one comes last in both directions, and columns of the class "number" are compared as numbers.
SCRIPT = """
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const asText = new Intl.Collator(undefined, { numeric: true }).compare;
  const sort = (column, sign) => {
    const asNumber = heads[column].classList.contains("number");
    const compare = asNumber ? (a, b) => (a > b) - (a < b) : asText;
    const keyed = [...body.rows].map((row) => {
      const text = row.cells[column].dataset.key ?? row.cells[column].textContent;
      return { row, key: asNumber ? Number(text) : text, empty: text === "" };
    });
    keyed.sort((a, b) => a.empty - b.empty || sign * compare(a.key, b.key));
    for (const { row } of keyed) body.append(row);
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      sort(column, order === "ascending" ? 1 : -1);
    });
  });
}
"""


def text(value: object) -> str:
    """Escape text for an element or a quoted attribute; what cannot be seen in it becomes visible."""
    return escape(printable(str(value)))


def bdi(value: object | None) -> str:
    """Return foreign text as an element, whose direction of writing stays its own."""
    return "" if value is None else f"<bdi>{text(value)}</bdi>"


def many(count: int, name: str) -> str:
    """Return a count and what is counted, in the plural where that is right."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


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
        Follow what every page has: `STYLE`, and `SCRIPT`, which makes tables sortable.

    Returns
    -------
    str
        To be written by `write_page`.
    """
    style, script = STYLE + style, SCRIPT + script
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
