"""Find, classify and count white cells in images, and train models to do so, from Python.

Examples
--------
>>> from fastsvm_apps import cells
>>> found = cells.classify("smears")  # doctest: +SKIP
>>> found.labels, found.percent("NEUTROPHIL"), found.interval("NEUTROPHIL")  # doctest: +SKIP
>>> done = cells.train("images", "own.safetensors", groups="groups.csv")  # doctest: +SKIP
>>> cells.classify("smears", done.path)  # doctest: +SKIP
"""

import os
from collections.abc import Sequence

from ..common.progress import UNWATCHED, Stages
from .jobs.cell_classification import CellClassification, Outputs, classify_images, image_workers
from .jobs.cell_training import CellTraining, train_cell_model
from .learning.cell_model import CellModel, load_cell_model
from .output.classify_outputs import ClassifyOutputs
from .settings import ClassifySettings, TrainingSettings, checked_settings

__all__ = ["CellClassification", "CellModel", "CellTraining", "classify", "load", "train"]

Path = str | os.PathLike[str]


def classify(
    images: Path | Sequence[Path],
    model: Path | CellModel | None = None,
    *,
    labels: Path | None = None,
    groups: Path | None = None,
    cell_width: float | None = None,
    min_score: float | None = None,
    strict: bool = False,
    also: Sequence[str] = (),
    scheduler: str | None = None,
    outputs: Outputs | None = None,
    stage: Stages = UNWATCHED,
) -> CellClassification:
    """Find, classify and count the white cells in images.

    ``fastsvm-cells classify`` calls this function, so both give the same results.

    Parameters
    ----------
    images : str or path-like, or sequence of these
        Image files and folders; subfolders are searched too.
    model : str or path-like, or CellModel, optional
        A file that `train` wrote, or a model that `load` returned; by default the included model.
    labels : str or path-like, optional
        Known labels: a CSV file with the columns ``file`` and ``label``, or a folder of Pascal VOC files.
    groups : str or path-like, optional
        The slide or patient of each image: a CSV file with the columns ``file`` and ``group``. By default
        each slide or top folder, if there are several and none is named after a class.
    cell_width : float, optional
        Width of a typical white cell, in pixels of the images; by default estimated from them.
    min_score : float, optional
        Cells with a lower score stay unclassified; 0 labels every cell. By default the model's own threshold.
    strict : bool
        Give no label to cells unlike those that the model was trained on.
    also : sequence of {"rbc", "platelets"}
        Other cells to find and count.
    scheduler : str, optional
        Address of a Dask scheduler; its workers share the work.
    outputs : Outputs, optional
        Receives the findings of each image as soon as they are known; by default the result keeps them.
    stage : Stages, optional
        Timer of the stages.

    Returns
    -------
    CellClassification
        The counts (`labels`, `groups`, `flags`, `skipped`) and the `findings` of each image. `percent` and
        `interval` return the share of a label, `to_records` the findings as dicts.

    Raises
    ------
    AppError
        If a parameter has a wrong value, there are no images, or the file is not a model.
    OSError
        If a file cannot be read.
    """
    chosen = {"cell_width": cell_width, "min_score": min_score, "strict": strict, "also": also}
    with image_workers(scheduler) as describing:
        return classify_images(
            _paths(images),
            model if model is None or isinstance(model, CellModel) else os.fspath(model),
            outputs or ClassifyOutputs(keep=True),
            checked_settings(ClassifySettings, **chosen),
            stage,
            labels=None if labels is None else os.fspath(labels),
            groups=None if groups is None else os.fspath(groups),
            describing=describing,
        )


def train(
    images: Path | Sequence[Path],
    output: Path,
    *,
    labels: Path | None = None,
    groups: Path | None = None,
    classes: Sequence[str] | None = None,
    corrections: Sequence[Path] = (),
    cell_width: float | None = None,
    classifier: str = "sdca-logistic",
    alpha: float | None = None,
    versions: int = 16,
    folds: int = 10,
    seed: int = 0,
    stage: Stages = UNWATCHED,
) -> CellTraining:
    """Cross-validate a classifier of white cells, fit it on all images and save it.

    ``fastsvm-cells train`` calls this function, so both give the same model.

    Parameters
    ----------
    images : str or path-like, or sequence of these
        Image files and folders; subfolders are searched too. The label of an image is given to its largest
        white cell, or to the central one if the image was cut out round a cell.
    output : str or path-like
        File to write the model to; an existing file is replaced only if it is a model.
    labels : str or path-like, optional
        Labels of images or of boxes, as CSV, COCO or Pascal VOC; by default the name of the image's folder.
    groups : str or path-like, optional
        The original that each image was made from: a CSV file with the columns ``file`` and ``original``.
    classes : sequence of str, optional
        Use only images with these labels.
    corrections : sequence of str or path-like
        Files that ``fastsvm-cells review`` wrote.
    cell_width : float, optional
        As for `classify`.
    classifier : str
        Learning algorithm, such as "sdca-logistic" or "sdca-svm".
    alpha : float, optional
        Strength of the L2 regularisation; by default cross-validation chooses it.
    versions : int
        Number of additional versions of each original to learn from.
    folds : int
        Number of folds of the cross-validation; 1 skips it.
    seed : int
        Seed of every random choice.
    stage : Stages, optional
        Timer of the stages.

    Returns
    -------
    CellTraining
        The `errors` of the cross-validation, `label_counts`, `suspects`, and the `path` of the model.

    Raises
    ------
    AppError
        If a parameter has a wrong value, or there are no labelled images.
    OSError
        If a file cannot be read or written.
    """
    chosen = {"classifier": classifier, "alpha": alpha, "versions": versions, "folds": folds, "seed": seed}
    return train_cell_model(
        _paths(images),
        os.fspath(output),
        checked_settings(TrainingSettings, cell_width=cell_width, **chosen),
        stage=stage,
        labels=None if labels is None else os.fspath(labels),
        groups=None if groups is None else os.fspath(groups),
        classes=classes,
        corrections=_paths(corrections),
    )


def load(path: Path | None = None) -> CellModel:
    """Load a model once, for several calls of `classify`; by default the included model.

    Parameters
    ----------
    path : str or path-like, optional
        A file that `train` or ``fastsvm-cells train`` wrote.

    Returns
    -------
    CellModel

    Raises
    ------
    AppError
        If the file is not a model of cells.
    OSError
        If the file cannot be read.
    """
    return load_cell_model(None if path is None else os.fspath(path))


def _paths(given: Path | Sequence[Path]) -> list[str]:
    """Return one path or several as a list."""
    return [os.fspath(path) for path in ([given] if isinstance(given, str | os.PathLike) else given)]
