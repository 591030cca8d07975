"""The compiled modules and their directives; all metadata is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# FASTSVM_CHECKED=1 builds kernels that test every index and every division.
checked = os.environ.get("FASTSVM_CHECKED", "0") not in ("", "0")

folders = {
    "fastsvm.solvers": "fastsvm/solvers",
    "fastsvm.text": "fastsvm/text",
    "fastsvm_apps.cells": "apps/cells",
}

extensions = [
    Extension(
        f"{package}.{source.stem}",
        [source.as_posix()],
        extra_compile_args=[] if sys.platform == "win32" else ["-O3", "-g0"],
    )
    for package, folder in folders.items()
    for source in sorted(Path(folder).glob("*.pyx"))
]

setup(
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=cythonize(
        extensions,
        compiler_directives={
            "language_level": 3,
            "boundscheck": checked,
            "wraparound": False,
            "initializedcheck": checked,
            "cdivision": not checked,
            "binding": True,
        },
        # Switching FASTSVM_CHECKED must rebuild, which time stamps alone would not tell.
        build_dir=f"build/cython-{'checked' if checked else 'release'}",
    ),
)
