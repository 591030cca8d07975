"""A headless Chromium with real mouse and keys, driven over a pipe by its DevTools protocol."""

import json
import os
import select
import signal
import subprocess
from contextlib import contextmanager
from time import monotonic

from browser import find_chromium

# Root in a container has no sandbox; clicks and keys before the first frame are dropped if not allowed.
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--no-first-run"),
    *("--allow-pre-commit-input", "--remote-debugging-pipe"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
SECONDS = 60  # for an answer, on a machine that is busy
KEYS = {"Enter": ("\r", 13), "Space": (" ", 32), "Tab": ("", 9), "Escape": ("", 27)}
KEYS |= {"Home": ("", 36), "End": ("", 35)}
KEYS |= {f"Arrow{way}": ("", 37 + k) for k, way in enumerate(("Left", "Up", "Right", "Down"))}


class Window:
    """A window of a browser.

    Parameters
    ----------
    read, write : int
        The pipe: messages of JSON with a zero byte behind each.
    """

    def __init__(self, read, write):
        self._read, self._write = read, write
        self._waiting, self._number, self._session = b"", 0, None
        self.problems = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self._ask(f"{domain}.enable")

    def _ask(self, method, **params):
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _next(self):
        deadline = monotonic() + SECONDS
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._read], [], [], max(0, deadline - monotonic()))
            assert ready, "the browser does not answer"
            self._waiting += os.read(self._read, 1 << 20)
        line, _, self._waiting = self._waiting.partition(b"\0")
        event = json.loads(line)
        method, params = event.get("method"), event.get("params", {})
        is_said = method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning")
        if is_said or method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(params)
        if method == "Page.javascriptDialogOpening":
            self._number += 1
            answer = {"id": self._number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            os.write(self._write, json.dumps({**answer, "sessionId": self._session}).encode() + b"\0")
            self._number -= 1  # nobody waits for its answer
        return event

    def open(self, url, width=1300):
        """Open a page, and wait until it is there."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        self.run("window.left = true")  # the page before may still be there for a while
        self._ask("Page.navigate", url=url)
        self.wait_for("!window.left && document.readyState === 'complete'")
        # A picture that arrives late would move what is clicked on.
        self.run("for (const picture of document.images) picture.loading = 'eager'")
        self.wait_for("[...document.images].every((picture) => picture.complete)")
        # Before a page is painted its clicks and keys are dropped.
        frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        self.run(frame)

    def run(self, script):
        """Return the value of an expression."""
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, script):
        """Wait until an expression is true."""
        deadline = monotonic() + SECONDS
        while not self.run(script):
            assert monotonic() < deadline, f"never true: {script}"

    def click(self, selector):
        """Press the mouse in the middle of an element, where it is seen."""
        x, y, top = self.run(
            f"""(() => {{
              const element = document.querySelector({json.dumps(selector)});
              element.scrollIntoView({{ block: "center" }});
              const box = element.getBoundingClientRect();
              const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
              return [x, y, element.contains(document.elementFromPoint(x, y))];
            }})()"""
        )
        assert top, f"{selector} is covered"
        for kind in "mousePressed", "mouseReleased":
            self._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys):
        """Press keys, one after the other."""
        for key in keys:
            text, code = KEYS.get(key, (key, ord(key[0].upper())))
            what = {"key": " " if key == "Space" else key, "windowsVirtualKeyCode": code}
            typed = {"text": text} if text else {}
            self._ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **what, **typed)
            self._ask("Input.dispatchKeyEvent", type="keyUp", **what)


@contextmanager
def browser(folder):
    """Start a browser with an empty profile in a folder, and end it."""
    theirs, write = os.pipe()
    read, mine = os.pipe()
    # It reads from 3 and writes to 4.
    command = [find_chromium(), *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    shell = ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{mine}', "bash", *command]
    silent = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
    process = subprocess.Popen(shell, pass_fds=(theirs, mine), start_new_session=True, **silent)
    os.close(theirs)
    os.close(mine)
    try:
        yield Window(read, write)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(read)
        os.close(write)


def run_in_page(page, script, folder, width=1200):
    """Open HTML and run a script in it, the body of a function; return its result, and what went wrong.

    That is errors, warnings, violations of the page's policy, broken pictures, requests of anything but data.
    """
    (folder / "page.html").write_bytes(page.encode())
    with browser(folder) as window:
        window.open((folder / "page.html").as_uri(), width)
        result = window.run(f"(() => {{ {script} }})()")
        window.run("new Promise((done) => setTimeout(done, 100))")  # violations are told a little later
        broken = window.run("[...document.images].filter((one) => !one.naturalWidth).map((one) => one.src)")
        asked = window.run("performance.getEntriesByType('resource').map((entry) => entry.name)")
        return result, window.problems + broken + [name for name in asked if not name.startswith("data:")]
