"""What a study is given: its data, its size, its seed, and a place for parts that are done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ...common.cache import Cache
from ...common.progress import UNWATCHED, Stages

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Context:
    """How a study is to run.

    Attributes
    ----------
    data : str or None
        Folder with the documents' data sets; None: what comes with the package or with scikit-learn.
    runs : int or None
        Repetitions; None: the document's own number, or few where `quick`.
    seed : int
    quick : bool
        Small enough for all five studies to end within four minutes.
    parts : Cache
        Keeps the parts that are finished, so that an interrupted study resumes.
    threads : int
    stage : Stages
        Times, and shows, the stages.
    taken_up : list of str
        The parts that an earlier run had.
    choices : mapping
        Values of options that only this study has, by name.
    """

    data: str | None = None
    runs: int | None = None
    seed: int = 0
    quick: bool = False
    parts: Cache = field(default_factory=lambda: Cache(None))
    threads: int = 1
    stage: Stages = field(default=UNWATCHED)
    taken_up: list[str] = field(default_factory=list)
    choices: Mapping[str, str] = field(default_factory=dict)

    def part(
        self, name: str, compute: Callable[[], dict[str, np.ndarray]], **key: object
    ) -> dict[str, np.ndarray]:
        """Return the arrays that `compute` returns, from the file of an earlier run with the same `key`.

        Parameters
        ----------
        name : str
            Of the part, a file name.
        compute : callable
        **key
            All that the arrays depend on: settings, seeds, the data; arrays count by their content. The
            version of fastsvm is added.
        """
        is_kept = True

        def arrays() -> dict[str, np.ndarray]:
            nonlocal is_kept
            is_kept = False
            return {each: np.asarray(values) for each, values in compute().items()}

        part = self.parts.get(name, arrays, part=name, **key)
        if is_kept:
            self.taken_up.append(name)
        return part
