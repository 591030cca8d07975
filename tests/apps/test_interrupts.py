import signal
import sys
import time
import weakref

import click
from click.testing import CliRunner

from fastsvm_apps.common.app import App


class Something:
    pass


class Finalized:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def in_a_finalizer():
    Finalized()


def in_a_callback():
    something = Something()
    reference = weakref.ref(something, lambda _: signal.raise_signal(signal.SIGINT))
    del something
    return reference


def command(*callbacks):
    @click.group(cls=App)
    def main():
        pass

    @main.command()
    def work():
        for callback in callbacks:
            callback()
        time.sleep(20)

    return main


def test_an_interrupt_in_a_callback_is_not_lost():
    before = sys.unraisablehook
    for callbacks in [(in_a_finalizer,), (in_a_callback,), (in_a_finalizer, in_a_callback)]:
        start = time.monotonic()
        done = CliRunner().invoke(command(*callbacks), ["work"])
        assert time.monotonic() - start < 10
        assert (done.exit_code, done.output) == (1, "error: interrupted\n")
    assert sys.unraisablehook is before
