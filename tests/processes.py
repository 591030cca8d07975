"""Apps as processes of their own."""

import subprocess
import sys
from contextlib import contextmanager


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
