"""The parameters of `train`, checked, and the settings that they make."""

from collections.abc import Mapping
from typing import Any

from ..common.errors import USAGE, AppError
from . import checked_values
from .data.record_formats import FORMATS
from .text_recipes import AUTO, CHECKS, RECIPE, RECIPES, RecipeSettings, recipe_settings

RECIPE_OF_MODEL = ("recipe", *RECIPE, "score", "tokens")  # a model that goes on learning decides these
READING = {
    "format": checked_values.one_of(*FORMATS),
    "text_col": str,
    "label_col": str,
    "encoding": checked_values.encoding,
}
CHECKED = {**CHECKS, **READING, "recipe": checked_values.one_of(AUTO, *RECIPES), "cv": checked_values.parts}
OPTIONS = {"start": "continue"}  # parameters with another name on the command line


def checked_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the parameters that have a check; an error names the option."""
    checked = {}
    for name in filter(CHECKED.__contains__, given):
        try:
            checked[name] = CHECKED[name](given[name])
        except ValueError as error:
            raise AppError(f"--{OPTIONS.get(name, name).replace('_', '-')}: {error}", USAGE) from None
    return checked


def given_settings(checked: dict[str, Any], start: object) -> RecipeSettings:
    """Return the settings: the values given, and those of the recipe."""
    for name in RECIPE_OF_MODEL if start else ():
        if name in checked:
            option = f"--{name.replace('_', '-')}"
            raise AppError(f"{option}: the model of --continue decides this; leave it out", USAGE)
    given = {name: value for name, value in checked.items() if name in CHECKS}
    settings = recipe_settings(checked.get("recipe", AUTO), given)
    if settings.ngrams is None and settings.chars is None:
        raise AppError("--ngrams none and no --chars: nothing to count; give one of them", USAGE)
    return settings


def check_streamed_parameters(option: str, given: dict[str, Any]) -> None:
    """Refuse parameters that need all texts in memory, or that a cluster does not have."""
    for name, words in (("start", "--continue"), ("cv", "--cv"), ("learning_curve", "--report")):
        if name in given:
            raise AppError(f"{words} needs all texts in memory; leave it out, or {option}", USAGE)
    if "scheduler" in given and "checkpoint" in given:
        raise AppError("--scheduler has no --checkpoint; leave out one of them", USAGE)
