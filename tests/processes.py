"""Apps as processes of their own."""

import os
import subprocess
import sys
from contextlib import contextmanager, suppress


@contextmanager
def starting(app, cwd):
    """Yield what starts an app in a folder; whatever is left running is ended."""
    processes = []

    def start(*args, **options):
        command = [sys.executable, "-P", "-m", f"fastsvm_apps.{app}", *map(str, args)]
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        processes.append(subprocess.Popen(command, cwd=cwd, text=True, **{**pipes, **options}))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()


def on_terminal(command, returncode=0, **options):
    """Run Python with a terminal for stderr, and stdout if nothing else is given; return what both say."""
    import pty

    ours, theirs = pty.openpty()
    streams = {"stdin": subprocess.PIPE, "stdout": theirs, "stderr": theirs, **options}
    shown = b""
    with subprocess.Popen([sys.executable, "-P", *command], **streams) as process:
        os.close(theirs)
        with suppress(OSError):  # how Linux says that the other end is closed
            while piece := os.read(ours, 1 << 16):
                shown += piece
        stdout = process.communicate()[0]
    os.close(ours)
    assert process.returncode == returncode, shown
    return shown, stdout
