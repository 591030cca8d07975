"""Tests of HTML pages: a reader of their elements, hostile texts, and where a Chromium is."""

import os
import shutil
from html.parser import HTMLParser

import pytest

HOSTILE = [
    "<script>document.title = 'bad'</script>",
    "</script><script>document.title = 'bad'</script>",
    "\"' onerror=\"document.title='bad'\" x='",
    "<!-- ]]> --> &amp; <img src=http://localhost/x onerror=document.title='bad'>",
    "a\u202eb\u2066c\ud800d\x00e\x1b[31mf\ng",
    "שלום מרחבא",
    "${document.title}`\\u003c",
]

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium():
    """Return the path of a Chromium, or None."""
    return os.environ.get("CHROME") or next(filter(None, map(shutil.which, NAMES)), None)


needs_chromium = pytest.mark.skipif(
    find_chromium() is None, reason="no chromium, chromium-browser or google-chrome, and no CHROME"
)


class Reader(HTMLParser):
    """Reads a page: its elements, the text of each, and whether every element is closed."""

    VOID = frozenset({"meta", "input", "img", "br"})

    def __init__(self, page):
        super().__init__()
        self.elements = []  # tag, attributes, text
        self._open = []
        assert page.startswith("<!DOCTYPE html>")
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attributes):
        element = (tag, dict(attributes), [])
        self.elements.append(element)
        if tag not in self.VOID:
            self._open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes), []))

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_data(self, data):
        for _, _, pieces in self._open:
            pieces.append(data)

    def all(self, tag, **wanted):
        found = [(attributes, pieces) for name, attributes, pieces in self.elements if name == tag]
        found = [each for each in found if wanted.items() <= each[0].items()]
        return [(attributes, " ".join(" ".join(pieces).split())) for attributes, pieces in found]

    def texts(self, tag, **wanted):
        return [content for _, content in self.all(tag, **wanted)]
