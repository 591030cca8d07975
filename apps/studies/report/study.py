"""The input of a study, its measurements, and its findings.

All runs are one table, which `runs.csv` holds, and from which everything can be drawn again.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from fastsvm._utils.thread_pool import Threads

from ...common.cache import Cache
from ...common.csv_quoting import csv_writer, table_file
from ...common.errors import AppError
from ...common.progress import UNWATCHED, Stages
from .verdicts import Found, Statistic, in_unit

Arrays = dict[str, np.ndarray]
Advance = Callable[[], None]  # to call after each step of a stage
NUMBERS = "epoch", "visits", "steps", "seconds", "primal", "optimum", "gap", "error", "value"


class Key(NamedTuple):
    """What was run: an experiment, its data, a solver, and its setting."""

    experiment: str
    data: str = ""
    solver: str = ""
    setting: str = ""


class Runs:
    """Runs by key; each has fields of `NUMBERS`, arrays of shape (runs, points)."""

    def __init__(self) -> None:
        self.of: dict[Key, Arrays] = {}

    def add(self, experiment: str, data: str = "", solver: str = "", setting: object = "", **fields) -> None:
        """Add runs.

        Parameters
        ----------
        experiment, data, solver : str
        setting : object
            Anything else that distinguishes these runs from others, as text.
        **fields : array-like
            Of `NUMBERS`: of shape (runs, points), (1, points), (runs,) for one point each, or a number.
        """
        key = Key(experiment, data, solver, str(setting))
        columns = [np.asarray(values, float) for values in fields.values()]
        columns = [column.reshape(-1, 1) if column.ndim < 2 else column for column in columns]
        self.of[key] = dict(zip(fields, map(np.array, np.broadcast_arrays(*columns)), strict=True))

    def __getitem__(self, key: tuple[str, ...]) -> Arrays:
        """Return the fields of some runs: ``runs["curves", "skin", "SDCA"]``."""
        return self.of[Key(*map(str, key))]

    def select(self, experiment: str, data: str | None = None) -> dict[Key, Arrays]:
        """Return all runs of an experiment, or only those on some data."""
        return {
            key: fields for key, fields in self.of.items()
            if key.experiment == experiment and data in (None, key.data)
        }  # fmt: skip

    def lines(self) -> Iterator[list]:
        """Yield the lines of the table; missing values are empty."""
        for key, fields in self.of.items():
            runs, points = next(iter(fields.values())).shape
            for run in range(runs):
                for point in range(points):
                    numbers = [fields[name][run, point] if name in fields else "" for name in NUMBERS]
                    yield [*key, run, *("" if number != number else number for number in numbers)]


@dataclass
class Measured:
    """The measurements of a study, and its data.

    Attributes
    ----------
    data : str
        The data in one sentence, without a path, because it goes into the docs.
    originals : list of str
        The document's data sets among the data.
    settings : dict
        Names and values that matter, for the page.
    hashes : dict of str to str
        Hashes of the data.
    runs : Runs
    pictures : dict
        Images, surfaces and others that `runs.csv` does not hold; empty if a study is drawn from that file.
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


@dataclass(frozen=True)
class Context:
    """How a study is to run.

    Attributes
    ----------
    data : str or None
        Folder with the documents' data sets; None: samples of the package or of scikit-learn.
    runs : int or None
        Repetitions; None: the document's number, or few if `quick`.
    seed : int
    quick : bool
        Whether to run a small version; all five take less than four minutes.
    parts : Cache
        Keeps finished parts, so that an interrupted study resumes.
    threads : int
    stage : Stages
        Times and shows the stages.
    taken_up : list of str
        The parts that an earlier run has kept.
    """

    data: str | None = None
    runs: int | None = None
    seed: int = 0
    quick: bool = False
    parts: Cache = field(default_factory=lambda: Cache(None))
    threads: int = 1
    stage: Stages = field(default=UNWATCHED)
    taken_up: list[str] = field(default_factory=list)

    def part(
        self, name: str, compute: Callable[[Advance], Arrays], *, total: int = 0, **key: object
    ) -> Arrays:
        """Return the arrays of `compute`, or those that an earlier run with the same `key` kept.

        Parameters
        ----------
        name : str
            Name of the part, of its file, and of the stage in which it is computed.
        compute : callable
            It gets a function to call after each step.
        total : int
            Number of steps; 0 if unknown.
        **key
            Everything that the arrays depend on: settings, seeds, data (by content). The version of
            fastsvm is added.
        """
        known = self.parts.find(name, part=name, **key)
        if known is not None:
            self.taken_up.append(name)
            return known

        def arrays() -> Arrays:
            with self.stage(name, total or None) as advance:
                return {each: np.asarray(values) for each, values in compute(advance).items()}

        return self.parts.get(name, arrays, part=name, **key)

    def in_threads(self, work: Callable[[Any], Any], items: Iterable, advance: Advance) -> list:
        """Return the result of `work` for each item, in order."""
        found = []
        with Threads(self.threads) as pool:
            for one in pool.map(work, items):
                found.append(one)
                advance()
        return found


class Figure(NamedTuple):
    """A picture of a study, drawn when it is written; `documents/captions.csv` has its words.

    Attributes
    ----------
    name : str
        Name of the file, without its ending.
    draw : callable
        Draws on a `matplotlib.figure.Figure` (of `common.matplotlib_figures.figure`), axes labelled with
        units; or returns the bytes of a picture itself, with `ending` (a GIF, a contact sheet) set.
    size : (float, float)
        Inches.
    words : str, default=""
        The name in captions.csv, if several figures share their words; "": the figure's.
    subject : str, default=""
        The text for "{}" in the title and the caption.
    ending : str, default="png"
    shows_data : bool, default=False
        Whether it shows images or texts from the data, which the docs leave out.
    """

    name: str
    draw: Callable[[Any], bytes | None]
    size: tuple[float, float] = (7.0, 4.5)
    words: str = ""
    subject: str = ""
    ending: str = "png"
    shows_data: bool = False

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.{self.ending}"


class Table(NamedTuple):
    """A table of a study, in a CSV file and on the page; `documents/captions.csv` has its words.

    Attributes
    ----------
    name : str
    header : sequence of str
    rows : sequence of sequences
        Numbers have all their digits; a number with an interval is a `Statistic`.
    unit : {"share", "difference"}, default="share"
        Unit of the intervals, which end at its limits.
    """

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence]
    unit: str = "share"

    @property
    def file(self) -> str:
        """Its name in the folder of the study."""
        return f"{self.name}.csv"

    @property
    def flat(self) -> tuple[list[str], list[list]]:
        """Header and rows, with a column for each end of an interval."""
        ends = {k for row in self.rows for k, cell in enumerate(row) if isinstance(cell, Statistic)}
        header = [[name, *([f"{name}, from", f"{name}, to"] if k in ends else [])]
                  for k, name in enumerate(self.header)]  # fmt: skip
        rows = [[in_unit(cell, self.unit) if isinstance(cell, Statistic) else [cell] for cell in row]
                for row in self.rows]  # fmt: skip
        return [*chain(*header)], [[*chain(*row)] for row in rows]


class Findings(NamedTuple):
    """The findings of a study from its runs.

    Attributes
    ----------
    found : mapping of str to Found
        By the name of each claim in `documents/claims.csv`.
    figures, tables : sequence
    """

    found: Mapping[str, Found]
    figures: Sequence[Figure]
    tables: Sequence[Table] = ()


ABOUT = "data", "originals", "settings", "hashes"


def write_runs(path: str, measured: Measured, how: dict[str, object]) -> None:
    """Write all runs to a CSV file, after a line "# {...}" about the data and the command."""
    about = how | {name: getattr(measured, name) for name in ABOUT}
    with table_file(path) as file:
        file.write(f"# {json.dumps(about)}\n")
        writer = csv_writer(file)
        writer([*Key._fields, "run", *NUMBERS])
        for line in measured.runs.lines():
            writer(line)


def read_runs(path: str, study: str) -> tuple[Measured, dict[str, object]]:
    """Read runs that `write_runs` wrote for a study.

    Raises
    ------
    AppError
        If it is another file, or has the runs of another study.
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
