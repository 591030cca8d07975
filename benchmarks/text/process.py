"""Programs in fresh processes: the time they take, on the clock and of the processor, and their memory."""

import json
import subprocess
import sys
from typing import NamedTuple

# A child's peak of memory counts from that of the process that started it, so a small one has to start it.
LAUNCHER = """
import json, os, sys, time
output, *command = sys.argv[1:]
opened = os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644
start = time.perf_counter()
child = os.posix_spawn(command[0], command, os.environ, file_actions=[opened])
_, status, used = os.wait4(child, 0)
wall = time.perf_counter() - start
unit = 1 if sys.platform == "darwin" else 1024
code = os.waitstatus_to_exitcode(status)
print(json.dumps([code, wall, used.ru_utime + used.ru_stime, used.ru_maxrss * unit]))
"""


class Failed(Exception):
    """A program ended with an error; the last line it wrote."""


class Cost(NamedTuple):
    """Seconds on the clock and of the processor, most bytes of memory; of the first, those of converting."""

    wall: float
    cpu: float
    peak: int
    converting: float = 0.0

    def __add__(self, other):
        """The cost of two programs, one after the other."""
        peak = max(self.peak, other.peak)
        return Cost(self.wall + other.wall, self.cpu + other.cpu, peak, self.converting + other.converting)


def launch(command, output="/dev/null"):
    """Run a command, its standard output to a file, and return its Cost."""
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, output, *command]
    done = subprocess.run([str(word) for word in launcher], capture_output=True, text=True, check=False)
    code, *cost = json.loads(done.stdout) if done.returncode == 0 else [done.returncode]
    if code:
        raise Failed((done.stderr.strip() or f"exit code {code}").splitlines()[-1])
    return Cost(*cost)
