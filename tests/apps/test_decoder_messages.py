"""Descriptor 2 leads to the user again, whatever threads are still decoding."""

import os
import threading

from fastsvm_apps.cells.data.decoder_messages import _Listener


def test_a_thread_that_still_listens_does_not_keep_stderr(capfd):
    listener, listening, go_on = _Listener(), threading.Event(), threading.Event()

    def decode():
        listening.set()
        go_on.wait(10)

    thread = threading.Thread(target=listener.hear, args=(decode,))
    thread.start()
    listening.wait(10)
    os.write(2, b"of a decoder\n")
    listener.close()
    os.write(2, b"seen\n")
    go_on.set()
    thread.join()
    os.write(2, b"seen again\n")
    assert capfd.readouterr().err == "seen\nseen again\n"
