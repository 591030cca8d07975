"""Work on many images in threads; the results come in the order of the images."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import cv2

from fastsvm._utils.thread_pool import Threads
from fastsvm._utils.threads import number_of_threads

from ...common.errors import is_shortage
from .bad_image import NO_MEMORY, BadImage, unreadable
from .image_reader import ImageFile

IMAGES_AHEAD = 4  # images under way per thread, so that no thread waits while the caller handles a result

T = TypeVar("T")
# `map_images`, or a function that does the same elsewhere.
MapImages = Callable[[Callable, Iterable], Iterator[tuple]]


def map_images(
    work: Callable[[ImageFile], T], files: Iterable[ImageFile], *, jobs: int | None = None
) -> Iterator[tuple[ImageFile, T | BadImage]]:
    """Work on images in threads, and yield the results in the order of the images.

    Parameters
    ----------
    work : callable
        What to do with an image; called in any thread.
    files : iterable of ImageFile
        May be a generator, which is read only a few images ahead of the work.
    jobs : int, optional
        Number of threads; by default one per processor available to this process. 1 works without threads.

    Yields
    ------
    file : ImageFile
        The image.
    result : object or BadImage
        What `work` returned, or the BadImage that it raised; an OSError becomes a BadImage. Any other error
        ends the work, as closing the generator does.
    """
    jobs = jobs or number_of_threads(-1)

    def attempt(file):
        return file, image_result(work, file)

    if jobs == 1:
        yield from map(attempt, files)
        return
    one_thread_in_opencv()
    with Threads(jobs) as pool:
        yield from pool.map(attempt, files, ahead=IMAGES_AHEAD * jobs)


def image_result(work: Callable[[ImageFile], T], file: ImageFile) -> T | BadImage:
    """Work on an image, and return the result, or the reason that there is none; see `map_images`."""
    # A new exception: the one raised would keep the frames it went through, and what they hold.
    try:
        return work(file)
    except BadImage as error:
        return BadImage(str(error))
    except OSError as error:
        return BadImage(unreadable(error))
    except (MemoryError, cv2.error) as error:  # cv2.error: an unforeseen problem with one image
        return BadImage(NO_MEMORY if is_shortage(error) else f"OpenCV failed on it: {error.err}")


def one_thread_in_opencv() -> None:
    """Keep OpenCV from splitting the work on an image over threads of its own, from now on."""
    cv2.setNumThreads(1)
