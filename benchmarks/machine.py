"""The machine that is measured on: its cores, what is installed, and command lines. Imports no library."""

import argparse
import json
import os
import platform
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ALLOWED = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def parser_of(name, about, sections=()):
    """Return a parser for `python -m benchmarks.NAME`: its folder of data, its sections and their core."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shared = Path("../shared/data")
    parser.add_argument("--data", type=Path, default=shared, metavar="DIR", help="default: %(default)s")
    if sections:
        add = parser.add_argument
        add("--sections", nargs="+", default=sections, choices=sections, help="default: all")
        add("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    return parser


def run_sections(options, packages, where, measure, target=None):
    """Print what the machine is, then each section by `measure`; write what it returned as JSON."""
    about = described(packages, where)
    print(about)
    record = {"about": about.splitlines()}
    for name in options.sections:
        print(f"\n{name}", flush=True)
        record[name] = measure(name)
    if target:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record, indent=1) + "\n")


def pin(core, threads):
    """Keep this process on as many cores as it has threads, and say which.

    Before NumPy's libraries start their threads, or these keep to the number told first.
    """
    for name in ("OMP", "OPENBLAS", "MKL"):
        os.environ[f"{name}_NUM_THREADS"] = str(threads)
    if not ALLOWED:
        return "not pinned"
    last = ALLOWED.index(core) + 1 if core is not None else len(ALLOWED)
    cores = ALLOWED[max(0, last - threads) : last]
    if len(cores) < threads:
        raise SystemExit(f"--threads {threads}: this process is allowed {len(cores)} cores up to that one.")
    os.sched_setaffinity(0, cores)
    return f"on core {', '.join(map(str, cores))}"


def described(packages, where):
    """Two lines: the day, the processor and Python; the versions of the packages."""
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    return f"{date.today()}, {processor()}, Python {platform.python_version()}, {where}\n{versions}"


def processor():
    """Its name."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(": ")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def peak():
    """Most bytes of memory the process has had since the last reset, mapped pages included (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
