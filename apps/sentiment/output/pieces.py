"""Small pieces of HTML that the sections of a page share; strings of theirs are filled into page.html."""

from functools import partial

from ...common import html
from ...common.output import many, percent
from .highlights import shorten
from .page_charts import Chart

filled = partial(html.filled, __package__)


def name(label: str) -> str:
    """Return the name of a label, which may be long."""
    return html.bdi(shorten(label))


def share(value: float) -> str:
    """Return a share as a percentage that does not break."""
    return percent(value).replace(" ", "\N{NO-BREAK SPACE}")


def figure(title: str, *charts: Chart) -> str:
    """Return charts under a title, which is HTML."""
    return filled("figure", title=title, chart="\n".join(chart.svg() for chart in charts))


def rest(count: int, what: str, fate: str = "not shown") -> str:
    """Say how many are left out, if any."""
    return f'\n<p class="soft">{many(count, f"more {what}")} {fate}.</p>' if count else ""
