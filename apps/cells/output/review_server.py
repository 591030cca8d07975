"""The server of the review page, and the file of corrections.

The address contains a secret, so that no other page or user of the computer can read or change anything.
"""

import json
import os
import secrets
import shlex
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from threading import Lock

import cv2
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...common.errors import AppError, Skipped
from ...common.files import replace_file
from ...common.http_server import GracefulServer, bind, own_addresses
from ...common.progress import Stages
from ..data.bad_image import BadImage
from ..data.image_reader import ImageFile
from ..data.label_tables import read_json
from ..finding.findings import UNCLASSIFIED, why_no_cell
from ..finding.first_look import first_look
from ..jobs.cell_classification import CellClassification, classify_cells, find_known_images
from ..learning.cell_model import CellModel, load_cell_model
from ..learning.corrections import VERSION, checked_corrections, is_class_name
from ..settings import ClassifySettings
from .cell_drawing import shrunk
from .report_page import ReportCell, ReportTally, report_page

PICTURE_PIXELS = 480  # pixels, the longer side of a crop
MARGIN_SHARE = 0.15  # of a box's sides, shown on each side of it
MAX_BODY_BYTES = 1 << 24
ADAPT, ADAPTED = ("fastsvm-cells", "adapt"), "adapted.safetensors"  # learns from corrections; what it writes

Verdicts = dict[int, str | None]  # of cells by their numbers: the label they should have, None for no cell


class Outdated(Exception):
    """Verdicts that were made from an earlier version, as in a second tab."""


class Work:
    """The verdicts of a person on the cells of a page, saved in a file.

    `version` counts how often they were saved. A change names the version that it was made from.

    Parameters
    ----------
    path : str
        The file of corrections. Its entries about other cells stay.
    model : CellModel
        The labels are its classes, and others that the person names.
    shown : sequence of ReportCell
        The cells on the page.
    content : dict, optional
        What the file contains so far.
    classes : iterable of str
        More labels to choose from.

    Attributes
    ----------
    more : list of str
        The labels to choose from that are not classes of the model: the given ones, and those in the file.
    """

    def __init__(
        self,
        path: str,
        model: CellModel,
        shown: Sequence[ReportCell],
        content: Mapping | None = None,
        classes: Iterable[str] = (),
    ) -> None:
        self.path = path
        self.verdicts: Verdicts = {}
        self.version = 0
        self._model = model
        known = {*model.classes, UNCLASSIFIED}
        entries = (content or {}).get("corrections", ())
        named = filter(is_class_name, [*classes, *(entry.get("new") for entry in entries)])
        self.more = [name for name in dict.fromkeys(named) if name not in known]
        self._labels = {None, *known, *self.more}
        self._cells = {cell.number: cell for cell in shown}
        self._lock = Lock()
        numbers = {(cell.file, tuple(map(int, cell.found.box))): cell.number for cell in shown}
        self._others: list[tuple[int | None, dict]] = []  # cells elsewhere, or labels that are not offered
        for entry in entries:
            number = numbers.get((entry["file"], tuple(entry["box"])))
            label = None if entry.get("reject") else entry["new"]
            if number is None or label not in self._labels:
                self._others.append((number, entry))
            else:
                self.verdicts[number] = label

    def put(self, content: object, version: int) -> None:
        """Replace the verdicts on the cells of the page, and save the file.

        Raises
        ------
        ValueError, KeyError
            If these are not verdicts on cells of the page.
        Outdated
            If they were made from another version.
        """
        if not isinstance(content, dict):
            raise ValueError("verdicts must be an object")
        verdicts = {int(number): label for number, label in content.items()}
        if not all(label in self._labels or is_class_name(label) for label in verdicts.values()):
            raise ValueError("a label is neither on the page nor a valid new class")
        record = f"{json.dumps(self._record(verdicts), indent=1)}\n".encode()
        with self._lock:
            if version != self.version:
                raise Outdated
            replace_file(self.path, record)
            self.verdicts, self.version = verdicts, version + 1

    def _record(self, verdicts: Verdicts) -> dict:
        entries = [entry for number, entry in self._others if number not in verdicts]
        for number, label in sorted(verdicts.items()):
            cell = self._cells[number]
            what = {"reject": True} if label is None else {"new": label}
            box = list(map(int, cell.found.box))
            entries.append({"file": cell.file, "box": box, "old": cell.found.label, **what})
        labels = [*self._model.classes, *self.more, *verdicts.values()]
        return {
            "version": VERSION,
            "model": self._model.name,
            "classes": [label for label in dict.fromkeys(labels) if label not in (None, UNCLASSIFIED)],
            "corrections": entries,
        }


class ReviewServer:
    """A server of one page, its pictures and the verdicts on its cells, for this computer alone.

    Parameters
    ----------
    page : str
    work : Work
    shown : sequence of ReportCell
        The cells on the page.
    files : dict
        The image of each file.
    """

    def __init__(
        self, page: str, work: Work, shown: Sequence[ReportCell], files: Mapping[str, ImageFile]
    ) -> None:
        self.work = work
        self._page = page.encode()
        self._cells = {str(cell.number): cell for cell in shown}
        self._files = files
        self._listener, top = bind("127.0.0.1", 0)
        token = secrets.token_urlsafe(16)
        self.url = f"{top}{token}/"
        routes = [
            Route("/favicon.ico", lambda request: _answer(b"", "image/x-icon")),  # browsers ask
            Route(f"/{token}/", lambda request: _answer(self._page, "text/html")),
            Route(f"/{token}/verdicts", self._verdicts),
            Route(f"/{token}/verdicts", self._save, methods=["PUT"]),
            Route(f"/{token}/{{number}}.jpg", self._picture),
        ]
        app = Starlette(routes=routes, exception_handlers={HTTPException: _refusal})
        app.router.redirect_slashes = False
        self._server = GracefulServer(app, own_addresses("127.0.0.1", top))

    def run(self) -> None:
        """Serve until Ctrl-C or `stop`."""
        self._server.run(sockets=[self._listener])

    def stop(self) -> None:
        """End `run`, which may be in another thread."""
        self._server.should_exit = True

    def _picture(self, request: Request) -> Response:
        """Answer with a JPEG of a cell and a margin around it."""
        try:
            cell = self._cells[request.path_params["number"]]
            image = self._files[cell.file].open().whole()
        except (KeyError, BadImage, OSError):
            raise HTTPException(HTTPStatus.NOT_FOUND, "This picture no longer exists.") from None
        x, y, w, h = cell.found.box
        dx, dy = round(MARGIN_SHARE * w), round(MARGIN_SHARE * h)
        part = image[max(0, y - dy) : y + h + dy, max(0, x - dx) : x + w + dx]
        jpeg = cv2.imencode(".jpg", shrunk(part, PICTURE_PIXELS), (cv2.IMWRITE_JPEG_QUALITY, 90))[1]
        return _answer(jpeg.tobytes(), "image/jpeg")

    def _verdicts(self, request: Request) -> Response:
        return _answer(json.dumps(self.work.verdicts), "application/json", ETag=f'"{self.work.version}"')

    async def _save(self, request: Request) -> Response:
        """Save the verdicts in the body of a request."""
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > MAX_BODY_BYTES:
                    raise ValueError
            version = int(request.headers.get("if-match", '"0"').strip('"'))  # 0: the first page's
            await run_in_threadpool(self.work.put, json.loads(body), version)
        except Outdated:
            why = "These verdicts were made from an earlier version."
            raise HTTPException(HTTPStatus.CONFLICT, why) from None
        except OSError as error:
            why = f"{error.filename} cannot be written: {error.strerror}."
            raise HTTPException(HTTPStatus.INSUFFICIENT_STORAGE, why) from None
        except (ClientDisconnect, ValueError, KeyError, TypeError, RecursionError):
            why = "These are not verdicts on the cells of this page."
            raise HTTPException(HTTPStatus.BAD_REQUEST, why) from None
        return _answer("{}", "application/json", ETag=f'"{version + 1}"')


def review_server_of(
    sources: Sequence[str],
    model_path: str | None,
    output: str,
    limit: int,
    stage: Stages,
    *,
    cell_width: float | None,
    labels: str | None,
    classes: Sequence[str] | None,
) -> tuple[ReviewServer, str, Skipped]:
    """Classify the cells of images, and serve a page to correct them.

    Return the server, the command that learns from the corrections, and the skipped files.
    """
    there = os.path.isfile(output) and os.path.getsize(output) > 0
    content = read_json(output, "corrections") if there else None
    if content is not None:
        checked_corrections(content, output)
    with stage("load"):
        model = load_cell_model(model_path)
    with stage("find"):
        classes = [*model.classes, *(classes or ())]
        files = find_known_images(sources, classes, labels)
        classes += sorted({file.label for file in files} - {None})
        by_name = {file.name: file for file in files}
        if len(by_name) < len(files):
            raise AppError("several images have the same name; review their folders one by one")
        look = first_look(files, cell_width, model.about)
    width = () if cell_width is None else ("--cell-width", f"{cell_width:g}")
    adapt = (*ADAPT, model_path or "shipped", *sources, *width, "--corrections", output, "-o", ADAPTED)
    count = CellClassification(model, sources, ClassifySettings(cell_width), look)
    tally = ReportTally(count, limit)
    with stage("classify", total=len(files)) as advance:
        for _, found in classify_cells(files, count):
            count.add(found)
            tally.add(found)
            advance()
    shown = tally.shown
    if not shown:
        why = f"{count.source}: {why_no_cell(count.flags)}"
        raise AppError("; ".join([why, *count.skipped.report()[:1]]))
    adapt = shlex.join(adapt)
    work = Work(output, model, shown, content, classes)
    return ReviewServer(report_page(tally, adapt, work.more), work, shown, by_name), adapt, count.skipped


def _answer(content: str | bytes, media_type: str, status: int = HTTPStatus.OK, **more: str) -> Response:
    headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", **more}
    return Response(content, status, headers, media_type)


def _refusal(request: Request, error: HTTPException) -> Response:
    why = error.detail
    if why in ("Not Found", "Method Not Allowed"):
        why = "This page does not exist; use the whole address that `review` printed."
    return _answer(why.encode("utf-8", "replace"), "text/plain", error.status_code)
