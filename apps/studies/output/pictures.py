"""The pictures of a report as bytes."""

from mimetypes import guess_type

from ...common.html_pages import data_uri
from ...common.matplotlib_figures import content_of, figure
from ..frame.study_report import Figure


def check_drawing() -> None:
    """Find out before the work whether pictures can be drawn."""
    with figure(None, (1.0, 1.0)):
        pass


def drawn(picture: Figure) -> bytes:
    """Draw a picture."""
    with figure(None, picture.size) as sheet:
        content = picture.draw(sheet)
        if content is None:
            content = content_of(sheet, picture.ending)
    return content


def uri_of(name: str, content: bytes) -> str:
    """Return the URI that a page has in the place of a file."""
    return data_uri(content, guess_type(name)[0] or "application/octet-stream")
