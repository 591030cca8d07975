"""Images carried to the workers of a cluster, which may not see their files: bytes there, results back."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...common.cluster import connected, map_shards
from .bad_image import BadImage
from .files import ImageFile
from .images import Content, ImageReader, image_content
from .threads import MapImages, map_images, one_thread_in_cv2, result_of
from .tiles import Tile, Unreadable

if TYPE_CHECKING:
    from distributed import Client

SHARD_IMAGES, SHARD_BYTES = 8, 1 << 23  # at most, of what is sent at once; an image is never divided

T = TypeVar("T")


@dataclass(frozen=True)
class Carried(ImageFile):
    """An image whose file was read already.

    Attributes
    ----------
    content : tuple of (bytes, int or None)
        As of `image_content`.
    """

    content: Content = field(default=(b"", None), repr=False)

    def open(self) -> ImageReader:
        """Return what reads its pixels."""
        return ImageReader(self.path, content=self.content)


@dataclass(frozen=True, eq=False)
class Piece:
    """A slide of which only what is inside a window was read."""

    size: tuple[int, int]
    pixels: np.ndarray

    def region(self, *window: int) -> np.ndarray:
        """Return the pixels, whose window alone is asked for."""
        return self.pixels


@contextmanager
def image_workers(address: str | None) -> Iterator[MapImages]:
    """Give what works on images: threads of this process, or the workers of the scheduler at an address."""
    if address is None:
        yield map_images
    else:
        with connected(address) as client:
            yield partial(map_carried, client=client)


def map_carried(
    work: Callable[[ImageFile], T], files: Iterable[ImageFile], client: "Client"
) -> Iterator[tuple[ImageFile, T | BadImage]]:
    """Do what `map_images` does on the workers of a cluster.

    Parameters
    ----------
    work : callable
        What workers can import; it is sent once.
    files : iterable of ImageFile
        They are read here, only a few ahead.
    client : distributed.Client

    Yields
    ------
    file : ImageFile
        As it was given.
    result : object or BadImage
    """
    sent: deque[list[ImageFile]] = deque()

    def shards() -> Iterator[list[ImageFile]]:
        for files_of_shard, shard in _shards(files):
            sent.append(files_of_shard)
            yield shard

    for results in map_shards(client, results_of, shards(), work):
        yield from zip(sent.popleft(), results, strict=True)


def results_of(files: Sequence[ImageFile], work: Callable[[ImageFile], T]) -> list[T | BadImage]:
    """Work on a shard, in any thread of a worker, as a thread of `map_images` works on an image."""
    with one_thread_in_cv2():
        return [result_of(work, file) for file in files]


def _shards(files: Iterable[ImageFile]) -> Iterator[tuple[list[ImageFile], list[ImageFile]]]:
    """Yield some images after the other, as they are and with what is in them."""
    plain, shard, size = [], [], 0
    for file in files:
        carried, n_bytes = _carried(file)
        if shard and (len(shard) == SHARD_IMAGES or size + n_bytes > SHARD_BYTES):
            yield plain, shard
            plain, shard, size = [], [], 0
        plain.append(file)
        shard.append(carried)
        size += n_bytes
    if shard:
        yield plain, shard


def _carried(file: ImageFile) -> tuple[ImageFile, int]:
    """Return an image with what is in it, and how many bytes that is."""
    known = {of.name: getattr(file, of.name) for of in fields(ImageFile)}  # not what a tile has besides
    content = result_of(_content, file)
    if isinstance(content, BadImage):
        return Unreadable(**known, problem=str(content)), 0
    if isinstance(content, tuple):
        return Carried(**known, content=content), len(content[0])
    return replace(file, slide=Piece(file.slide.size, content)), content.nbytes


def _content(file: ImageFile) -> Content | np.ndarray:
    """Read a file, or of a slide the pixels of a tile."""
    if isinstance(file, Unreadable):
        return file.open()
    return file.open().whole() if isinstance(file, Tile) else image_content(file.path)
