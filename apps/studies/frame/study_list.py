"""Which studies there are."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Choice(NamedTuple):
    """An option of one study: its values, of which the first counts by default, and its help."""

    values: tuple[str, ...]
    help: str


class Study(NamedTuple):
    """A study of a document.

    Attributes
    ----------
    module : str
        The package, relative to that of all models; its ``run(context)`` returns a `Report`.
    title : str
        For the help of its command.
    choices : mapping
        Options that it alone has, by name.
    """

    module: str
    title: str
    choices: Mapping[str, Choice] = MappingProxyType({})


# In the order in which `all` runs them.
STUDIES = {
    "cells": Study(".cells", "White blood cells: SDCA against Pegasos, raw pixels and principal components"),
    "digits": Study(".digits", "Digits 5 against 6: Pegasos with an intercept, drawn a hundred times"),
    "solvers": Study(".solvers", "SDCA, ASDCA and Pegasos: which converges faster, on three kinds of rows"),
    "sentiment": Study(".sentiment", "Pegasos on points in the plane and on the sentiment of texts"),
    "kernels": Study(
        ".kernels",
        "Ten digits: kernel Pegasos over a grid of kernels, steps and strengths",
        {"grid": Choice(("document", "wider"), "Lower lambda and higher gamma, too.")},
    ),
}
