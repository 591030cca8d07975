"""Use fastsvm's classes in place of scikit-learn's in a whole program."""

import sys
from importlib import import_module


def patch():
    """Replace scikit-learn's classes by the classes of `fastsvm.drop_in` in all modules of scikit-learn.

    Call `patch` before the program imports the classes: names that it has already imported do not change.
    Nothing is loaded until the program imports scikit-learn. If it imports skl2onnx, converters for the
    classes are registered.

    Examples
    --------
    >>> from fastsvm import drop_in
    >>> drop_in.patch()
    >>> from sklearn.svm import LinearSVC
    >>> LinearSVC.__module__
    'fastsvm.drop_in.linear_svc'
    >>> drop_in.unpatch()
    """
    if Watch not in sys.meta_path:
        sys.meta_path.insert(0, Watch)
    for package in AFTER_IMPORT.keys() & sys.modules.keys():
        AFTER_IMPORT[package]()


def unpatch():
    """Undo `patch`: scikit-learn's modules have their own classes again."""
    sys.meta_path[:] = [each for each in sys.meta_path if each is not Watch]
    if "sklearn" in sys.modules:
        _swap(back=True)


class Watch:
    """A finder of modules that calls a function as soon as a package has been imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return the spec that the other finders find; its loader calls the function afterwards."""
        if name not in AFTER_IMPORT:
            return None
        found = (each.find_spec(name, path, target) for each in sys.meta_path if each is not Watch)
        spec = next(filter(None, found), None)
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                AFTER_IMPORT[name]()

            spec.loader.exec_module = exec_module
        return spec


def _pairs():
    """Return the classes of this package, each with the class of scikit-learn that it inherits from."""
    drop_in = import_module(__package__)
    classes = [ours for name in drop_in.__all__ if isinstance(ours := getattr(drop_in, name), type)]
    return [(ours, base) for ours in classes for base in ours.__mro__[1:] if base.__name__ == ours.__name__]


def _swap(back=False):
    """Replace one class of each pair by the other in the modules of scikit-learn that contain it."""
    for pair in _pairs():
        old, new = pair if back else pair[::-1]
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "sklearn" and vars(module).get(old.__name__) is old:
                setattr(module, old.__name__, new)


AFTER_IMPORT = {"sklearn": _swap, "skl2onnx": lambda: import_module("fastsvm.onnx")}
