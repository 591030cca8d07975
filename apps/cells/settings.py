"""The settings of the commands, from which options, checks and records are made.

Heavy modules are imported only when needed, because `--help` shows the choices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import click

from ..common.classifiers import CLASSIFIER_HELP, CLASSIFIERS, ClassifierRecipe
from ..common.errors import AppError
from ..common.options import COUNT, STRENGTH, FiniteRange, Value, option_field

# The squared length of a row is about the number of features, some hundreds; so the best strength lies here.
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
USUAL_ALPHA = 0.1  # where there are too few images to choose
# The Gaussian kernel of a row with itself is 1. On photographs of two laboratories 1e-5 to 1e-3 was best.
KERNEL_ALPHAS = (1e-5, 1e-4, 1e-3, 1e-2)
USUAL_KERNEL_ALPHA = 1e-4


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError(f"{text!r} contains an empty name")
    return names


def _kinds(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of other cells that names stand for."""
    names = _names(value) if isinstance(value, str) else value
    if not names:  # the default
        return ()
    from .finding.findings import OTHER_KINDS

    kinds = {**OTHER_KINDS, **{kind: kind for kind in OTHER_KINDS.values()}}
    for name in names:
        if name not in kinds:
            raise ValueError(f"{name!r} cannot be counted; choose from {', '.join(OTHER_KINDS)}")
    return tuple(dict.fromkeys(kinds[name] for name in names))


NAMES = Value("names", _names)  # comma-separated
CELL_WIDTH_OPTION: dict[str, Any] = {
    "help": "Width of a typical white cell, in pixels of the images.  "
    "[default: estimated from the red cells, or a quarter of the longer side]",
    "type": FiniteRange(min=20),
    "metavar": "PX",
}


@dataclass(frozen=True)
class TrainingSettings:
    """The settings of a training."""

    classifier: str = option_field("sdca-logistic", CLASSIFIER_HELP, type=click.Choice(list(CLASSIFIERS)))
    cell_width: float | None = option_field(None, **CELL_WIDTH_OPTION)
    versions: int = option_field(
        16,
        "Learn from N more versions of each original, rotated and with other light, colours, focus and "
        "noise.",
        type=click.IntRange(0, 1000),
        metavar="N",
    )
    folds: int = option_field(10, "Number of folds of the cross-validation; 1 skips it.", type=COUNT)
    alpha: float | None = option_field(
        None,
        "Strength of the L2 regularisation.  [default: one of "
        f"{', '.join(f'{alpha:g}' for alpha in ALPHAS)}, for kernel machines "
        f"{', '.join(f'{alpha:g}' for alpha in KERNEL_ALPHAS)}, chosen by cross-validation]",
        type=STRENGTH,
    )
    seed: int = 0

    @property
    def method(self) -> ClassifierRecipe:
        """The classifier, and the strengths to choose from."""
        recipe = CLASSIFIERS[self.classifier]
        if recipe.model == "Perceptron":
            return recipe
        usual = (USUAL_KERNEL_ALPHA, KERNEL_ALPHAS) if recipe.is_kernel else (USUAL_ALPHA, ALPHAS)
        return recipe._replace(alpha=usual[0], alphas=usual[1])


@dataclass(frozen=True)
class CropSettings:
    """How cells are cut out of images."""

    style: Literal["cells", "document"] = option_field(
        "cells",
        "cells: cut out each white cell. document: follow the six steps of Bouche and Verluise (2018).",
        type=click.Choice(("cells", "document")),
    )
    size: int | None = option_field(
        None,
        "Cut squares of N pixels; a cell is scaled to about 80.  [default: the cell's box; document: 120]",
        type=click.IntRange(1, 4096),
        metavar="N",
    )
    gray: bool = option_field(False, "Grey crops; --style document also fills black frames.", is_flag=True)
    negative: bool = option_field(False, "Invert the colours.", is_flag=True)


@dataclass(frozen=True)
class ClassifySettings:
    """The settings of a classification of cells."""

    cell_width: float | None = option_field(None, **CELL_WIDTH_OPTION)
    min_score: float | None = option_field(
        None,
        "Leave a cell unclassified if no class reaches this score. 0 labels every cell.  [default: stored in "
        "the model, so that about 5 % of the labels are wrong]",
        type=FiniteRange(min=0, max=1),
    )
    strict: bool = option_field(
        False, "Give no label to cells unlike those that the model was trained on.", is_flag=True
    )
    also: tuple[str, ...] = option_field(
        (),
        "Also find and count red cells, platelets, or both.",
        type=Value("names", _kinds),
        metavar="rbc,platelets",
    )


Settings = TypeVar("Settings", TrainingSettings, ClassifySettings)


def checked_settings(settings: type[Settings], **given: Any) -> Settings:
    """Return settings, each value checked like its option; an error names the parameter."""
    for each in fields(settings):
        check = each.metadata.get("type")
        if check is not None and given.get(each.name) is not None:
            try:
                given[each.name] = check.convert(given[each.name], None, None)
            except click.ClickException as error:
                raise AppError(f"{each.name}: {error.message}") from None
    return settings(**given)
