"""The files below a folder."""

import os
from collections.abc import Iterator

UNFINISHED = ".part"  # ends the name of the folder that keeps results beside a CSV table, until it is written


def walk_folder(top: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of each file below a folder, sorted by name, without hidden files.

    Links are followed, but not to folders below `top`: their files have their own names.
    """
    entered, real_top = set(), os.path.join(os.path.realpath(top), "")
    folders = [(top, "")]
    while folders:
        folder, prefix = folders.pop()
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in entered:  # a link led back
            continue
        entered.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            visible = [entry for entry in entries if not entry.name.startswith(".")]
        inner = []
        for entry in sorted(visible, key=lambda entry: entry.name):
            name = prefix + entry.name
            if os.path.isdir(entry) if entry.is_symlink() else entry.is_dir():
                if not (_leads_back(entry, real_top) or name.endswith(f".csv{UNFINISHED}")):
                    inner.append((entry.path, f"{name}/"))
            else:
                yield entry.path, name
        folders.extend(reversed(inner))


def _leads_back(link: os.DirEntry, top: str) -> bool:
    """Whether this is a link to a folder that the walk enters without it, or to one that contains `top`."""
    if not link.is_symlink():
        return False
    path = os.path.join(os.path.realpath(link), "")
    return top.startswith(path) or (path.startswith(top) and f"{os.sep}." not in path[len(top) - 1 :])
