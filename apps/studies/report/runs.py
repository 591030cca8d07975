"""What a study measured: one table for all, which `runs.csv` holds, and from which all is drawn again."""

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...common.csv_quoting import csv_writer, table_file
from ...common.errors import AppError
from .study import Arrays

NUMBERS = "epoch", "visits", "steps", "seconds", "primal", "optimum", "gap", "error", "value"


class Key(NamedTuple):
    """What was run: an experiment, on some data, a solver, and its setting."""

    experiment: str
    data: str = ""
    solver: str = ""
    setting: str = ""


class Runs:
    """Runs by what was run; each has fields of `NUMBERS`, arrays of shape (runs, points)."""

    def __init__(self) -> None:
        self.of: dict[Key, Arrays] = {}

    def add(self, experiment: str, data: str = "", solver: str = "", setting: object = "", **fields) -> None:
        """Add runs.

        Parameters
        ----------
        experiment, data, solver : str
        setting : object
            Anything else that tells these runs from others, as text.
        **fields : array-like
            Of `NUMBERS`: of shape (runs, points), (1, points), (runs,) for one point each, or a number.

        Raises
        ------
        ValueError
            Of a field that is none, and of runs that are there.
        """
        key = Key(experiment, data, solver, str(setting))
        if key in self.of or not fields.keys() <= {*NUMBERS}:
            raise ValueError(f"{key} is there, or one of {', '.join(fields)} is no field of runs")
        columns = [np.asarray(values, float) for values in fields.values()]
        columns = [column.reshape(-1, 1) if column.ndim < 2 else column for column in columns]
        self.of[key] = dict(zip(fields, map(np.array, np.broadcast_arrays(*columns)), strict=True))

    def __getitem__(self, key: tuple[str, ...]) -> Arrays:
        """Return the fields of what was run: ``runs["curves", "skin", "SDCA"]``."""
        return self.of[Key(*map(str, key))]

    def select(self, experiment: str, data: str | None = None) -> dict[Key, Arrays]:
        """Return all runs of an experiment, or of it on some data."""
        return {
            key: fields for key, fields in self.of.items()
            if key.experiment == experiment and data in (None, key.data)
        }  # fmt: skip

    def lines(self) -> Iterator[list]:
        """Yield the lines of the table; what was not measured is empty."""
        for key, fields in self.of.items():
            runs, points = next(iter(fields.values())).shape
            for run in range(runs):
                for point in range(points):
                    numbers = [fields[name][run, point] if name in fields else "" for name in NUMBERS]
                    yield [*key, run, *("" if number != number else number for number in numbers)]


@dataclass
class Measured:
    """What a study measured, and on what.

    Attributes
    ----------
    data : str
        What it ran on, one sentence, without a path: it goes into the docs.
    originals : list of str
        Which of the document's data sets these were.
    settings : dict
        Names and values that matter, for the page.
    hashes : dict of str to str
        Of the data.
    runs : Runs
    pictures : dict
        Images, surfaces and others that `runs.csv` does not hold; empty where it is drawn from that file.
    """

    data: str
    originals: list[str] = field(default_factory=list)
    settings: dict[str, object] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)
    pictures: dict = field(default_factory=dict)


def array_hash(*arrays: np.ndarray) -> str:
    """Return the beginning of the SHA-256 of arrays, as bytes in their order."""
    content = hashlib.sha256()
    for array in arrays:
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:16]


ABOUT = "data", "originals", "settings", "hashes"


def write_runs(path: str, measured: Measured, how: dict[str, object]) -> None:
    """Write all runs to a CSV file, after a line "# {...}" with what they are and how they were made."""
    about = how | {name: getattr(measured, name) for name in ABOUT}
    with table_file(path) as file:
        file.write(f"# {json.dumps(about)}\n")
        writer = csv_writer(file)
        writer([*Key._fields, "run", *NUMBERS])
        for line in measured.runs.lines():
            writer(line)


def read_runs(path: str, study: str) -> tuple[Measured, dict[str, object]]:
    """Return what `write_runs` wrote for a study.

    Raises
    ------
    AppError
        Of any other file, and of the runs of another study.
    """
    measured, rows = Measured(""), {}
    try:
        with open(path, encoding="utf-8", newline="") as file:
            how = json.loads(file.readline().removeprefix("# "))
            measured = Measured(**{name: how.pop(name) for name in ABOUT})
            for row in csv.DictReader(file):
                key = Key(*(row[name] for name in Key._fields))
                rows.setdefault(key, {}).setdefault(row["run"], []).append([row[name] for name in NUMBERS])
        for key, runs in rows.items():
            table = np.array(
                [[[float(cell or "nan") for cell in point] for point in run] for run in runs.values()]
            )
            columns = dict(zip(NUMBERS, np.moveaxis(table, -1, 0), strict=True))
            measured.runs.of[key] = {
                name: values for name, values in columns.items() if not np.isnan(values).all()
            }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AppError(f"{path}: is not the runs.csv of a study ({error})") from error
    if how.get("study") != study:
        raise AppError(f"{path}: has the runs of '{how.get('study')}', not of '{study}'")
    return measured, how
