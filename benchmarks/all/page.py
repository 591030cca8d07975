"""One page: machine, cells lost, tables and plots."""

import base64
import io
from html import escape

import numpy as np

from .figures import HEAD

STYLE = """body{font:14px sans-serif;margin:2em;max-width:110em} td,th{padding:.15em .6em;text-align:left;
border-bottom:1px solid #ddd;vertical-align:top} .lost{background:#fdd} img{max-width:100%}"""


def page(about, sections, figures, plots):
    """The HTML."""
    lost = [figure for figure in figures if figure.lost]
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>fastsvm</title><style>{STYLE}</style>',
        f"<h1>fastsvm against its peers</h1><pre>{escape(about)}</pre>",
        f"<p>{len(figures)} cells, {len(lost)} lost. Median [range] of the rounds; linear and softmax: to a",
        "relative suboptimality. Ratios above 1: fastsvm is quicker. &gt;: the peer was cut short.</p>",
    ]
    for name in sections:
        own = [figure for figure in figures if figure.section == name]
        if own:
            parts.append(f"<h2>{name}</h2>{_image(ratios(own))}<table>{_line('th', HEAD)}")
            parts += [_line("td", f.row(), ' class="lost"' if f.lost else "") for f in own]
            parts.append("</table>")
        parts += [_image(plot) for section, plot in plots if section == name]
    return "\n".join(parts) + "\n"


def _line(tag, texts, mark=""):
    cells = "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
    return f"<tr{mark}>{cells}</tr>"


def _image(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=80)
    return f'<p><img alt="" src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"></p>'


def ratios(figures):
    """The ratio of every cell, with its range; lost ones in red."""
    from matplotlib.figure import Figure

    drawn = [figure for figure in figures if len(figure.ratios)]
    picture = Figure(figsize=(11, 1 + 0.18 * len(drawn)), layout="constrained")
    axes = picture.subplots()
    for k, figure in enumerate(drawn):
        colour = "tab:red" if figure.lost else "tab:blue"
        low, middle, high = np.quantile(figure.ratios, (0, 0.5, 1))
        axes.plot([low, high], [-k, -k], color=colour, linewidth=1)
        axes.plot(middle, -k, ">" if figure.best[1] else "o", color=colour, markersize=4)
    axes.axvline(1, color="gray", linewidth=0.8)
    axes.set(xscale="log", xlabel="quickest peer's time / ours", ylim=(-len(drawn), 1))
    axes.set_yticks(-np.arange(len(drawn)), [figure.cell for figure in drawn], fontsize=7)
    axes.xaxis.set_major_formatter("{x:g}")
    return picture
