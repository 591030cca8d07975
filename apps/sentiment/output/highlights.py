"""A text as HTML with its words marked by their contributions, shortened around the strongest words."""

import re
from collections.abc import Sequence
from math import ceil

from markupsafe import Markup, escape

from ...common.html_pages import shorten
from ...common.printing import printable
from ..jobs.text_explanation import ExplainedSpan

ROOM = 480  # characters of a text that are shown
CONTEXT = 36  # characters around a strong word that are
LEVELS = 4  # in style.css
LEGEND = Markup(
    'Marked words speak <mark class="for-3">for the predicted label</mark> or '
    '<mark class="against-3">against it</mark>; the stronger the colour, the larger the contribution. Long '
    "texts are shortened around the strongest words."
)


def highlight(source: str, spans: Sequence[ExplainedSpan], room: int = ROOM) -> Markup:
    """Return HTML of a text.

    Parameters
    ----------
    source : str
        The text.
    spans : sequence of ExplainedSpan
        Its words, from left to right; a contribution above 0 speaks for the label, others speak against it.
    room : int
        A text longer than this is shortened around its strongest words.
    """
    strongest = max((abs(span.contribution) for span in spans), default=0.0)
    pieces = []
    end = 0
    for start, stop in _highlight_windows(source, spans, room):
        if start > end:
            pieces.append(" … " if pieces else "… ")
        end = start
        for span in spans:
            if start <= span.start and span.stop <= stop:
                pieces += [_plain_html(source[end : span.start]), _marked_word(source, span, strongest)]
                end = span.stop
        pieces.append(_plain_html(source[end:stop]))
        end = stop
    pieces.append(" …" if end < len(source) else "")
    return Markup("").join(pieces)


def quoted(text: Markup, note: str) -> Markup:
    """Return HTML of a quotation, and of a note below it, if there is one."""
    below = Markup('<p class="soft">{}</p>').format(note) if note else ""
    return Markup('<blockquote dir="auto">{}</blockquote>').format(text) + below


def _highlight_windows(source: str, spans: Sequence[ExplainedSpan], room: int) -> list[tuple[int, int]]:
    """Return the parts of a text that are shown, from left to right."""
    if len(source) <= room:
        return [(0, len(source))]
    shown: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda span: -abs(span.contribution)):
        start, stop = _window_with_context(source, span)
        longer = _joined_windows([*shown, (start, stop)])
        if shown and sum(min(b - a, room) for a, b in longer) > room:
            break
        shown = longer
    return shown or [(0, room)]


def _window_with_context(source: str, span: ExplainedSpan) -> tuple[int, int]:
    """Return a window around a word, from word to word if there are gaps between words nearby."""
    start, stop = max(span.start - CONTEXT, 0), min(span.stop + CONTEXT, len(source))
    first, last = source.find(" ", start, span.start), source.rfind(" ", span.stop, stop)
    if start and first >= 0:
        start = first + 1
    if stop < len(source) and last >= 0:
        stop = last
    return start, stop


def _joined_windows(windows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return windows from left to right; windows that touch, or nearly do, are joined."""
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(windows):
        if joined and start <= joined[-1][1] + 3:
            start, end = joined.pop()
            stop = max(stop, end)
        joined.append((start, stop))
    return joined


def _marked_word(source: str, span: ExplainedSpan, strongest: float) -> Markup:
    word = shorten(source[span.start : span.stop])
    # The weakest fifth is not worth a mark.
    level = ceil((LEVELS + 1) * abs(span.contribution) / strongest) - 1 if strongest else 0
    if level < 1:
        return _plain_html(word)
    side = "for" if span.contribution > 0 else "against"
    mark = Markup('<mark class="{}-{}" title="{:+.3f}">{}</mark>')
    return mark.format(side, level, span.contribution, _plain_html(word))


def _plain_html(piece: str) -> Markup:
    return escape(printable(re.sub(r"\s+", " ", piece)))
