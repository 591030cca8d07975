"""The compiled modules and their directives; all metadata is in pyproject.toml."""

import multiprocessing
import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# FASTSVM_CHECKED=1 builds kernels that test every index and every division. FASTSVM_SANITIZE=1, or a list for
# the compiler's -fsanitize such as "thread", has a sanitizer watch them besides (see CONTRIBUTING.md).
sanitizers = os.environ.get("FASTSVM_SANITIZE", "0")
sanitizers = {"": None, "0": None, "1": "address,undefined"}.get(sanitizers, sanitizers)
checked = sanitizers is not None or os.environ.get("FASTSVM_CHECKED", "0") not in ("", "0")
kind = sanitizers.replace(",", "-") if sanitizers else "checked" if checked else "release"
# Without symbols a wheel is a quarter smaller, and without tables for exceptions, which C has none of, 4 %.
flags = [] if sys.platform == "win32" else ["-O3", "-g0", "-fno-asynchronous-unwind-tables"]
links = ["-s"] if sys.platform == "linux" else []
if sys.platform == "linux":  # -O3 for loops, but inlining as with -O2: smaller, and no slower
    flags += ["--param=max-inline-insns-auto=15", "--param=max-inline-insns-single=70"]
if sanitizers:
    # Python's own flags have -fwrapv, under which no overflow is reported.
    flags = [f"-fsanitize={sanitizers}", "-fno-wrapv", "-fno-omit-frame-pointer", "-g1", "-O1"]
    links = flags[:1]

# pip asks for metadata first, which needs neither Cython nor a compiler.
builds = not {"egg_info", "dist_info"} & {*sys.argv}
if builds and "sdist" not in sys.argv and sys.platform != "win32":
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if not shutil.which(compiler):
        sys.exit(f"error: no C compiler ({compiler}): install one, or a wheel of fastsvm, which needs none")

SHARED = "fastsvm._cython"

folders = {
    "fastsvm.solvers": "fastsvm/solvers",
    "fastsvm.solvers.kernel": "fastsvm/solvers/kernel",
    "fastsvm.text": "fastsvm/text",
    "fastsvm.io": "fastsvm/io",
    "fastsvm_apps.cells.finding": "apps/cells/finding",
}

headers = [path.as_posix() for kind in ("h", "pxd") for path in sorted(Path("fastsvm").rglob(f"*.{kind}"))]
extensions = [
    Extension(
        f"{package}.{source.stem}",
        [source.as_posix()],
        depends=[source.as_posix(), *headers],  # which belong to a source distribution
        include_dirs=["fastsvm/solvers"],
        extra_compile_args=flags,
        extra_link_args=links,
    )
    for package, folder in folders.items()
    for source in sorted(Path(folder).glob("*.pyx"))
]
# What every Cython module would have a copy of: memory views and other utilities.
utilities = [f"{SHARED.replace('.', '/')}.c"]  # which cythonize writes
small = ["-Os"] if flags and not sanitizers else []  # they run once a call
extensions.append(Extension(SHARED, utilities, extra_compile_args=[*flags, *small], extra_link_args=links))

setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=[]
    if not builds
    else cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": checked,
            "wraparound": False,
            "initializedcheck": checked,
            "cdivision": not checked,
            "binding": True,
            "auto_pickle": False,
        },
        shared_utility_qualified_name=SHARED,
        # Elsewhere a process is begun by importing this file anew.
        nthreads=os.cpu_count() if multiprocessing.get_start_method() == "fork" else 0,
        # Another kind must be built anew, which time stamps alone would not tell.
        build_dir=f"build/cython-{kind}",
    ),
)
