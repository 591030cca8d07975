"""Checkpoints of a fit: its dual variables, in a file from which the next fit resumes."""

from __future__ import annotations

import json
import os
import reprlib
import time
import zlib
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from .._utils.atomic import read_arrays, write_arrays
from .._utils.warnings import warn_user
from ..solvers._input import as_start
from ..solvers._rows import map_chunks
from ..solvers._solver import SolverState
from ..solvers.run import Watcher

SECONDS = 10.0  # minimum time between two saves of a class
SHARE = 0.02  # maximum share of the time for saving
FORMAT = ["fastsvm checkpoint", 1]


class Checkpoint:
    """The file of one fit: the last saved state of each binary problem that was begun.

    Any dual variables inside their domain prove a bound, so the file is not trusted: w is computed anew from
    its dual variables, and the certificate holds for this w. The resumed fit may have another `tol`, more
    epochs or another seed.

    Parameters
    ----------
    path : str or path-like
        A NumPy file (.npz), written atomically. It is created immediately, so that errors appear early.
    fit : dict
        What identifies the fit: names and values, as in JSON.

    Raises
    ------
    ValueError
        If the file is not a checkpoint of this fit.
    """

    def __init__(self, path: Any, fit: dict[str, Any]) -> None:
        self.path, self.fit = os.fspath(path), json.loads(json.dumps(fit))
        self.states = self._read_states()
        self.lock, self.pause = Lock(), SECONDS
        self._write_file()
        self.written = time.monotonic()

    def starts(self, otherwise):
        """Return a function from k to the start of the k-th problem; `otherwise` if the file has none."""

        def start(k):
            state = self.states.get(k)
            if state is not None:
                return state.dual, state.intercept
            return None if otherwise is None else otherwise(k)

        return start

    def watcher(self, k):
        """Return the Watcher that resumes the k-th run from the file, and saves its state."""
        return _CheckpointWatcher(self, k)

    def write(self):
        """Write the states; warn if that is not possible."""
        start = time.monotonic()
        try:
            self._write_file()
        except OSError as error:  # the fit matters more
            warn_user(
                f"{self.path}: the checkpoint cannot be written ({error.strerror}); the fit continues.",
                RuntimeWarning,
            )
        self.written = time.monotonic()
        self.pause = max(SECONDS, (self.written - start) / SHARE)

    def _write_file(self):
        states = {k: state._replace(dual=None)._asdict() for k, state in self.states.items()}
        arrays = {f"dual.{k}": state.dual for k, state in self.states.items()}
        write_arrays(self.path, {"format": FORMAT, "fit": self.fit, "states": states}, arrays)

    def _read_states(self):
        """Return the states in the file, by the number of the problem; none if there is no file."""
        try:
            about, arrays = read_arrays(self.path)
            other = next(((n, about["fit"][n]) for n in self.fit if about["fit"][n] != self.fit[n]), None)
            states = {} if other else about["states"]
            states = {int(k): self._state_in_file(arrays, k, state) for k, state in states.items()}
            known = about["format"] == FORMAT
        except FileNotFoundError:
            return {}
        except OSError:
            raise
        except Exception:  # also of arrays that are not such states
            known, other = False, None
        if not known:
            raise ValueError(
                f"{self.path}: the file is not a checkpoint, or damaged; remove it, or choose another path."
            )
        if other:
            name, value = other
            raise ValueError(
                f"{self.path}: the checkpoint is of another fit: its {name} is {_shown_in_error(value)}, "
                f"here it is {_shown_in_error(self.fit[name])}; remove the file, or choose another path."
            )
        return states

    def _state_in_file(self, found, k, about):
        dual, intercept = as_start((found[f"dual.{k}"], about["intercept"]), self.fit["rows"])
        return SolverState(dual, intercept, int(about["done"]), int(about["seed"]))


class _CheckpointWatcher(Watcher):
    """The calls of a Checkpoint in its k-th run."""

    def __init__(self, checkpoint, k):
        self.checkpoint, self.k = checkpoint, k

    def begin(self, solver):
        state = self.checkpoint.states.get(self.k)
        if state is not None:
            solver.restore(state)
        self.kept, solver.checkpoint_hook = time.monotonic(), self.keep

    def keep(self, solver):
        """Save the state of a run, if it is time."""
        file = self.checkpoint
        if time.monotonic() - self.kept < file.pause:
            return
        state = solver.checkpoint_state()
        with file.lock:
            file.states[self.k] = state._replace(dual=state.dual.copy())
            file.write()
            self.kept = file.written

    def end(self, solver):  # it may be written later, with other states
        with self.checkpoint.lock:
            self.checkpoint.states[self.k] = solver.checkpoint_state()
            if time.monotonic() - self.checkpoint.written >= self.checkpoint.pause:
                self.checkpoint.write()


def _shown_in_error(value):
    return value if isinstance(value, str) else reprlib.repr(value)


def fit_fingerprint(rows: Any, targets: Any, weights: np.ndarray | None) -> dict[str, Any]:
    """Identify the rows of a fit, their labels and their weights.

    Parameters
    ----------
    rows : Rows
    targets : Targets or LabelSets
    weights : ndarray of shape (n_rows,), or None
        The weights of the first problem.

    Returns
    -------
    dict
        Numbers of rows and columns, the labels, and a CRC-32 of each array.
    """
    return {
        "rows": rows.n_rows,
        "columns": rows.n_columns,
        "X": _checksum_text(_checksum(np.array(map_chunks(rows, partial(_crc_of_rows, rows))))),
        "classes": list(map(str, targets.classes.tolist())),
        "y": _checksum_text(_checksum(targets.codes().astype(np.int32))),
        "weights": None if weights is None else _checksum_text(_checksum(weights)),
    }


def _checksum_text(crc):
    return f"checksum {crc:08x}"


def _crc_of_rows(rows, first, last):
    if rows.dense:
        return _checksum(rows.values[first * rows.n_columns : last * rows.n_columns])
    ends = rows.indptr[first : last + 1]
    part = slice(int(ends[0]), int(ends[-1]))
    crc = _checksum((ends - ends[0]).astype(np.int64))
    return _checksum(rows.columns[part].astype(np.int64), _checksum(rows.values[part], crc))


def _checksum(array, crc=0):
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B"), crc)
