import errno

import click
import cv2
import pytest
from click.testing import CliRunner

from fastsvm_apps.common.app import App


def failing(error):
    @click.group(cls=App)
    def main():
        pass

    @main.command()
    def work():
        raise error

    return CliRunner().invoke(main, ["work"])


OF_NUMPY = SystemError("<built-in function resize> returned a result with an exception set")
OF_NUMPY.__cause__ = MemoryError("of 300 KiB")


@pytest.mark.parametrize(
    "error",
    [
        OF_NUMPY,
        MemoryError("of 8 bytes"),
        OSError(errno.ENOMEM, "Cannot allocate memory", "folder"),
        RuntimeError("can't start new thread"),
        cv2.error("std::bad_alloc"),
        cv2.error("OpenCV: Insufficient memory, Failed to allocate 8 bytes in function 'OutOfMemoryError'"),
    ],
)
def test_too_little_memory_is_one_line(error):
    done = failing(error)
    assert done.exit_code == 1
    assert done.output == f"error: out of memory ({error}); process less at a time, or add memory\n"


def test_other_errors_are_not_hidden():
    assert isinstance(failing(RuntimeError("a bug")).exception, RuntimeError)
    assert isinstance(failing(ValueError("bad_alloc")).exception, ValueError)


def test_a_name_that_sounds_like_it_is_no_shortage():
    told = "error: Invalid value: no column 'bad_alloc' (see 'main work --help')\n"
    done = failing(click.BadParameter("no column 'bad_alloc'"))
    assert (done.exit_code, done.output) == (2, told)
