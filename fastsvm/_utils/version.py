"""The installed versions."""

import os
import platform
import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version

__version__ = version("fastsvm")


def show_versions() -> None:
    """Print what a bug report needs: versions of fastsvm, Python and the libraries, and the machine.

    Examples
    --------
    >>> import fastsvm
    >>> fastsvm.show_versions()  # doctest: +ELLIPSIS
    fastsvm ...
    """
    print(f"fastsvm {__version__}")
    print(f"Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} processors")
    names = [re.match(r"[\w.-]+", line) for line in requires("fastsvm") or () if "extra ==" not in line]
    for name in sorted(match[0] for match in names if match):
        try:
            print(f"{name} {version(name)}")
        except PackageNotFoundError:
            print(f"{name} is missing")
    import_module("scipy.linalg")  # BLAS is listed only after it is loaded
    from threadpoolctl import threadpool_info

    for library in threadpool_info():
        what = " ".join(str(library.get(key, "")) for key in ("internal_api", "version", "architecture"))
        print(f"{what}, {library['num_threads']} threads")
