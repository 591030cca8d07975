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

# FASTSVM_CHECKED=1 builds kernels that check every index and every division. FASTSVM_SANITIZE=1, or a list
# for the compiler's -fsanitize such as "thread", also builds them with sanitizers (see CONTRIBUTING.md).
sanitizers = os.environ.get("FASTSVM_SANITIZE", "0")
sanitizers = {"": None, "0": None, "1": "address,undefined"}.get(sanitizers, sanitizers)
checked = sanitizers is not None or os.environ.get("FASTSVM_CHECKED", "0") not in ("", "0")
kind = sanitizers.replace(",", "-") if sanitizers else "checked" if checked else "release"
# A wheel is a quarter smaller without symbols, and 4 % without exception tables, which C does not need.
flags = [] if sys.platform == "win32" else ["-O3", "-g0", "-fno-asynchronous-unwind-tables"]
links = ["-s"] if sys.platform == "linux" else []
if sys.platform == "linux":  # -O3, but with the inlining of -O2: smaller, and no slower
    flags += ["--param=max-inline-insns-auto=15", "--param=max-inline-insns-single=70"]
if sanitizers:
    # Python's own flags contain -fwrapv, with which overflows are not reported.
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
        depends=[source.as_posix(), *headers],  # files of the source distribution
        include_dirs=["fastsvm/solvers"],
        extra_compile_args=flags,
        extra_link_args=links,
    )
    for package, folder in folders.items()
    for source in sorted(Path(folder).glob("*.pyx"))
]
# Memory views and other utilities, which every Cython module would otherwise contain.
utilities = [f"{SHARED.replace('.', '/')}.c"]  # written by cythonize
small = ["-Os"] if flags and not sanitizers else []  # they run once per call
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
        # Other start methods import this file again in each process.
        nthreads=os.cpu_count() if multiprocessing.get_start_method() == "fork" else 0,
        # Each kind has its own folder, since time stamps do not tell kinds apart.
        build_dir=f"build/cython-{kind}",
    ),
)
