"""Tests of HTML pages: a reader of their elements, hostile texts, and a headless Chromium.

Chromium is driven by a script that is put into a copy of the page.
"""

import html
import json
import os
import re
import shutil
import signal
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

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
FLAGS = (
    "--headless",
    "--no-sandbox",  # root in a container has none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--allow-pre-commit-input",  # or clicks and keys before the first frame are dropped
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--window-size=1200,900",
    "--virtual-time-budget=2000",
    "--dump-dom",
)

# Comes before everything else on the page, to hear all that goes wrong.
PROBE = """
const problems = [];
const fail = (problem) => problems.push(String(problem));
addEventListener("error", (event) => fail(event.message ?? `not loaded: ${event.target}`), true);
addEventListener("securitypolicyviolation", (event) =>
  fail(`${event.effectiveDirective}: ${event.blockedURI}`));
console.error = console.warn = (...words) => fail(words.join(" "));
// A lazy picture would not be waited for.
addEventListener("DOMContentLoaded", () => {
  for (const picture of document.images) picture.loading = "eager";
});
const run = () => { %s };
// Violations are told a little later than they happen.
addEventListener("load", () => setTimeout(() => {
  let result;
  try { result = run(); } catch (error) { fail(error); }
  for (const { name } of performance.getEntriesByType("resource")) {
    if (!name.startsWith("data:")) fail(`requested ${name}`);
  }
  const output = document.createElement("pre");
  output.id = "probe";
  output.textContent = JSON.stringify({ result, problems });
  if (parent === window) document.body.replaceChildren(output);
  else parent.postMessage(output.textContent, "*");
}, 100));
"""

FRAME = """<!DOCTYPE html>
<script>
addEventListener("message", (event) => {{
  const output = document.createElement("pre");
  output.id = "probe";
  output.textContent = event.data;
  document.body.replaceChildren(output);
}});
</script>
<iframe src="{page}" width="{width}" height="900" frameborder="0"></iframe>
"""


def find_chromium():
    """Return the path of a Chromium, or None."""
    return os.environ.get("CHROME") or next(filter(None, map(shutil.which, NAMES)), None)


needs_chromium = pytest.mark.skipif(
    find_chromium() is None, reason="no chromium, chromium-browser or google-chrome, and no CHROME"
)


def run_in_page(page, script, folder, width=None):
    """Open a page and run a script in it.

    Parameters
    ----------
    page : str
        HTML with a Content-Security-Policy, which is kept: it is only made to allow the probe.
    script : str
        The body of a function, run once the page is loaded.
    folder : Path
        For the copy of the page and the profile of the browser.
    width : int, optional
        In pixels; no window is as narrow as a phone, so that the page is then in a frame.

    Returns
    -------
    result : object
        What the script returned.
    problems : list of str
        Errors, warnings on the console, violations of the policy, requests of anything but data.
    """
    probe = PROBE % script
    digest = b64encode(sha256(probe.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    page = page.replace("<title>", f"<script>{probe}</script>\n<title>", 1)
    copy = Path(folder) / "page.html"
    copy.write_bytes(page.encode())
    opened = copy
    if width is not None:
        opened = copy.with_name("frame.html")
        opened.write_text(FRAME.format(width=width, page=copy.name))
    found = re.search(r'<pre id="probe">(.*?)</pre>', _dump(opened, folder), re.DOTALL)
    assert found, "the script did not come to its end"
    answer = json.loads(html.unescape(found[1]))
    return answer.get("result"), answer["problems"]


def _dump(path, folder):
    command = [find_chromium(), *FLAGS, f"--user-data-dir={folder / 'profile'}", path.as_uri()]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        return process.communicate(timeout=60)[0].decode()
    finally:
        if process.poll() is None:  # its helpers too
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Reader(HTMLParser):
    """Reads a page: its elements, the text of each, and whether every element is closed."""

    VOID = frozenset({"meta", "input", "img", "br"})

    def __init__(self, page):
        super().__init__()
        self.elements = []  # tag, attributes, text
        self._open = []
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
        return [
            (attributes, " ".join(" ".join(pieces).split()))
            for name, attributes, pieces in self.elements
            if name == tag and wanted.items() <= attributes.items()
        ]

    def texts(self, tag, **wanted):
        return [content for _, content in self.all(tag, **wanted)]
