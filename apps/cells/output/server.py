"""The page to correct cells in, served to this computer alone, and the file that the work is kept in.

The address has a secret in it, so that no other page or user of the computer can read or change anything.
"""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

import cv2

from ...common.errors import AppError
from ...common.files import replace_file
from ..data.bad_image import BadImage
from ..data.images import read_image
from ..learning.corrections import VERSION, checked_corrections
from .drawing import shrunk
from .editing import About
from .tally import Shown

PICTURE = 480  # pixels, the longer side of a crop
AROUND = 0.15  # of a box's sides, shown on each side of it
MAX_BODY = 1 << 24  # bytes

Verdicts = dict[int, str | None]  # of cells by their numbers: the label they should have, None for no cell


class Work:
    """What people say about the cells on a page, kept in a file.

    Parameters
    ----------
    path : str
        The file of corrections. What it says about other cells stays in it.
    about : About
    shown : sequence of Shown
        The cells on the page.
    content : dict, optional
        What the file contains so far.
    """

    def __init__(
        self, path: str, about: About, shown: Sequence[Shown], content: Mapping | None = None
    ) -> None:
        self.path = path
        self.verdicts: Verdicts = {}
        self._about = about
        self._cells = {cell.number: cell for cell in shown}
        self._lock = Lock()
        numbers = {(cell.file, tuple(map(int, cell.found.box))): cell.number for cell in shown}
        self._others = []
        for entry in (content or {}).get("corrections", ()):
            number = numbers.get((entry["file"], tuple(entry["box"])))
            if number is None:
                self._others.append(entry)
            else:
                self.verdicts[number] = None if entry.get("reject") else entry["new"]

    def put(self, content: object) -> None:
        """Take what the page says about its cells, and write the file in one go."""
        if not isinstance(content, dict):
            raise ValueError("no verdicts")
        verdicts = {int(number): label for number, label in content.items()}
        record = self._record(verdicts)
        checked_corrections(record, "what the page says")
        with self._lock:
            replace_file(self.path, f"{json.dumps(record, indent=1)}\n".encode())
            self.verdicts = verdicts

    def _record(self, verdicts: Verdicts) -> dict:
        entries = []
        for number, label in sorted(verdicts.items()):
            cell = self._cells[number]
            what = {"reject": True} if label is None else {"new": label}
            box = list(map(int, cell.found.box))
            entries.append({"file": cell.file, "box": box, "old": cell.found.label, **what})
        return {
            "version": VERSION,
            "model": self._about.model,
            "classes": list(self._about.classes),
            "corrections": [*self._others, *entries],
        }


class Server(ThreadingHTTPServer):
    """Serves one page, its pictures and the verdicts on its cells, on a port that is free.

    Parameters
    ----------
    page : str
    work : Work
    shown : sequence of Shown
        The cells on the page.
    paths : dict
        Where the image of each file is.
    """

    daemon_threads = True

    def __init__(self, page: str, work: Work, shown: Sequence[Shown], paths: Mapping[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.page, self.work = page.encode(), work
        self.cells = {cell.number: cell for cell in shown}
        self.paths = paths
        self.token = secrets.token_urlsafe(16)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def picture(self, number: int) -> bytes:
        """Return a JPEG of a cell with a little of what is around it."""
        cell = self.cells[number]
        image = read_image(self.paths[cell.file])
        x, y, w, h = cell.found.box
        dx, dy = round(AROUND * w), round(AROUND * h)
        part = image[max(0, y - dy) : y + h + dy, max(0, x - dx) : x + w + dx]
        return cv2.imencode(".jpg", shrunk(part, PICTURE), (cv2.IMWRITE_JPEG_QUALITY, 90))[1].tobytes()


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds

    def log_message(self, *_):
        pass

    def do_GET(self) -> None:
        name = self._name()
        if self.path == "/favicon.ico":  # browsers ask by themselves
            self._answer(b"", "image/x-icon")
        elif name == "":
            self._answer(self.server.page, "text/html; charset=utf-8")
        elif name == "verdicts":
            self._answer(json.dumps(self.server.work.verdicts).encode(), "application/json")
        elif name and (found := re.fullmatch(r"(\d{1,9})\.jpg", name)):
            try:
                self._answer(self.server.picture(int(found[1])), "image/jpeg")
            except (KeyError, BadImage, OSError):
                self._refuse(HTTPStatus.NOT_FOUND, "There is no such picture any more.")
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "Nothing is here; use the whole address that was printed.")

    def do_PUT(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self._name() != "verdicts" or not length.isdecimal() or int(length) > MAX_BODY:
            self.close_connection = True
            self._refuse(HTTPStatus.BAD_REQUEST, "Only verdicts can be put here.")
            return
        try:
            self.server.work.put(json.loads(self.rfile.read(int(length))))
        except OSError as error:
            self._refuse(
                HTTPStatus.INSUFFICIENT_STORAGE, f"{error.filename} cannot be written: {error.strerror}."
            )
        except (AppError, ValueError, KeyError, TypeError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "These are no verdicts on the cells of this page.")
        else:
            self._answer(b"{}", "application/json")

    def _name(self) -> str | None:
        """Return what is asked for, behind the secret; None for a stranger."""
        host = self.headers.get("Host", "")
        _, token, name = [*self.path.split("/", 2), "", ""][:3]
        own = host == f"127.0.0.1:{self.server.server_port}"  # no other name that leads here
        known = secrets.compare_digest(token.encode(), self.server.token.encode())
        return name if own and known and self.path.count("/") >= 2 else None

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._answer(why.encode("utf-8", "replace"), "text/plain; charset=utf-8", status)

    def _answer(self, content: bytes, media_type: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        headers = {"Content-Type": media_type, "Content-Length": len(content), "Cache-Control": "no-store"}
        headers |= {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)
