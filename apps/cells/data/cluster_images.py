"""Images sent as bytes to the workers of a cluster, which may not see the files."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...common.dask_cluster import map_shards
from .bad_image import BadImage
from .image_reader import ImageFile, image_content
from .image_threads import image_result, one_thread_in_opencv
from .slide_tiles import Tile

if TYPE_CHECKING:
    from distributed import Client

SHARD_IMAGES, SHARD_BYTES = 8, 1 << 23  # at most, sent at once; an image is never divided

T = TypeVar("T")


def map_images_on_cluster(
    work: Callable[[ImageFile], T], files: Iterable[ImageFile], client: "Client"
) -> Iterator[tuple[ImageFile, T | BadImage]]:
    """Do what `map_images` does, on the workers of a cluster; files are read here, only a few ahead."""
    sent: deque[ImageFile] = deque()

    def shards() -> Iterator[list[ImageFile]]:
        shard, size = [], 0
        for file in files:
            carried, n_bytes = _carried(file)
            if shard and (len(shard) == SHARD_IMAGES or size + n_bytes > SHARD_BYTES):
                yield shard
                shard, size = [], 0
            sent.append(file)
            shard.append(carried)
            size += n_bytes
        if shard:
            yield shard

    for results in map_shards(client, results_of_shard, shards(), work):
        for result in results:
            yield sent.popleft(), result


def results_of_shard(files: Sequence[ImageFile], work: Callable[[ImageFile], T]) -> list[T | BadImage]:
    """Work on a shard in any thread of a worker, as `map_images` works on an image."""
    one_thread_in_opencv()
    return [image_result(work, file) for file in files]


def _carried(file: ImageFile) -> tuple[ImageFile, int]:
    """Return an image with its content, and the size of this content in bytes."""
    content = image_result(_content, file)
    if isinstance(content, BadImage):
        known = {of.name: getattr(file, of.name) for of in fields(ImageFile)}
        return ImageFile(**known | {"problem": str(content)}), 0
    if isinstance(content, tuple):
        return replace(file, content=content), len(content[0])
    return replace(file, slide=None, content=content), content.nbytes


def _content(file: ImageFile) -> tuple[bytes, int | None] | np.ndarray:
    """Read a file, or the pixels of a tile."""
    if isinstance(file, Tile) or file.problem:
        return file.open().whole()
    return image_content(file.path)
