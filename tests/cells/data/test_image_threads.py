"""Work on many images in threads."""

import random
import time

import cv2
import numpy as np
import pytest

from fastsvm_apps.cells.data import image_threads
from fastsvm_apps.cells.data.bad_image import BadImage
from fastsvm_apps.cells.data.image_reader import ImageFile
from fastsvm_apps.cells.data.image_threads import map_images

FILES = [ImageFile(str(n), str(n)) for n in range(60)]


@pytest.mark.parametrize("jobs", [1, 2, 7, None])
def test_results_come_in_order(jobs):
    def work(file):
        time.sleep(random.random() / 500)
        return int(file.name)

    assert list(map_images(work, iter(FILES), jobs=jobs)) == [(file, int(file.name)) for file in FILES]
    assert list(map_images(work, [], jobs=jobs)) == []


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (BadImage("cut short"), "cut short"),
        (OSError(2, "No such file"), "cannot be read: No such file"),
        (MemoryError(), "too large for the available memory"),
        (None, "OpenCV failed on it: "),
    ],
)
def test_a_bad_image_is_a_result_and_the_rest_goes_on(wrong, reason, jobs):
    def work(file):
        if file is FILES[1]:
            if wrong:
                raise wrong
            cv2.cvtColor(np.zeros((2, 2), np.uint8), cv2.COLOR_BGR2GRAY)

    results = [result for _, result in map_images(work, FILES, jobs=jobs)]
    assert str(results[1]).startswith(reason)
    assert results[:1] + results[2:] == [None] * (len(FILES) - 1)
    # It holds nothing else: of 100,000 bad images, not the bytes too.
    assert results[1].__traceback__ is results[1].__context__ is results[1].__cause__ is None


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("end", [ZeroDivisionError, KeyboardInterrupt, GeneratorExit])
def test_an_error_an_interrupt_and_closing_end_the_work(end, jobs):
    begun = []

    def work(file):
        begun.append(file)
        if file is FILES[5] and end is ZeroDivisionError:
            raise end

    def files():
        yield from FILES[:6]
        if end is KeyboardInterrupt:
            raise end
        yield from FILES[6:]

    results = map_images(work, files(), jobs=jobs)
    if end is GeneratorExit:
        next(results)
        results.close()
    else:
        with pytest.raises(end):
            list(results)
    n_begun = len(begun)
    assert n_begun <= 6 + image_threads.IMAGES_AHEAD * jobs
    time.sleep(0.02)
    assert len(begun) == n_begun


def test_only_a_few_are_taken_ahead():
    n_taken, n_yielded, most = 0, 0, 0

    def taken():
        nonlocal n_taken
        for file in FILES * 5:
            n_taken += 1
            yield file

    for _ in map_images(lambda file: None, taken(), jobs=2):
        n_yielded += 1
        most = max(most, n_taken - n_yielded)
    assert n_yielded == 300
    assert most <= 2 * image_threads.IMAGES_AHEAD


def test_opencv_has_no_threads_of_its_own():
    cv2.setNumThreads(2)
    assert {result for _, result in map_images(lambda file: cv2.getNumThreads(), FILES, jobs=2)} == {1}
