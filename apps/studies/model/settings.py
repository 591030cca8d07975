"""Which studies there are."""

from typing import NamedTuple


class Study(NamedTuple):
    """A study of a document.

    Attributes
    ----------
    module : str
        The package, relative to that of all models; its ``run(context)`` returns a `Report`.
    title : str
        For the help of its command.
    """

    module: str
    title: str


# In the order in which `all` runs them.
STUDIES = {
    "digits": Study(".digits", "Digits 5 against 6: Pegasos with an intercept, drawn a hundred times"),
    "kernels": Study(".kernels", "Ten digits: kernel Pegasos over a grid of kernels, steps and strengths"),
}
