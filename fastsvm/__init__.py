"""Linear and kernel classifiers that certify how far they are from the optimum."""

from importlib.machinery import PathFinder

from ._utils.lazy import lazily

if PathFinder.find_spec("_rows", [f"{__path__[0]}/solvers"]) is None:  # it would look like a circular import
    raise ImportError(
        f"{__path__[0]} has no compiled modules for this Python: in a clone of the repository run "
        "'pip install -e .', or start Python in another folder.",
        name="fastsvm.solvers._rows",
    )

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
