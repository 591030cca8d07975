"""fastsvm's classes in the place of scikit-learn's, for a whole program."""

import sys
from importlib import import_module


def patch():
    """Put these classes in the place of scikit-learn's, wherever scikit-learn's modules name them.

    Call it before the program imports the classes: a name that it has already is not changed. Until the
    program imports scikit-learn, nothing is loaded. skl2onnx, if it is imported, learns of the classes.

    Examples
    --------
    >>> from fastsvm import drop_in
    >>> drop_in.patch()
    >>> from sklearn.svm import LinearSVC
    >>> LinearSVC.__module__
    'fastsvm.drop_in.linear_svc'
    >>> drop_in.unpatch()
    """
    if WATCH not in sys.meta_path:
        sys.meta_path.insert(0, WATCH)
    for package in WATCH.actions.keys() & sys.modules.keys():
        WATCH.actions[package]()


def unpatch():
    """Undo `patch`: scikit-learn's modules have their own classes again."""
    if WATCH in sys.meta_path:
        sys.meta_path.remove(WATCH)
    if "sklearn" in sys.modules:
        for ours, theirs in _pairs():
            _replace(ours, theirs)


class Watch:
    """A finder of modules that does something as soon as a package has been imported.

    Parameters
    ----------
    **actions : functions, by the names of packages
    """

    def __init__(self, **actions):
        self.actions = actions

    def find_spec(self, name, path=None, target=None):
        """Return what the other finders find; its loader does what is to be done."""
        if name not in self.actions:
            return None
        found = (each.find_spec(name, path, target) for each in sys.meta_path if each is not self)
        spec = next(filter(None, found), None)
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                self.actions[name]()

            spec.loader.exec_module = exec_module
        return spec


def _patch_now():
    for ours, theirs in _pairs():
        _replace(theirs, ours)


def _register():
    import_module("fastsvm.onnx")


WATCH = Watch(sklearn=_patch_now, skl2onnx=_register)


def _pairs():
    """Return the classes of this package, each with the one of scikit-learn that it inherits."""
    drop_in = import_module(__package__)
    classes = [ours for name in drop_in.__all__ if isinstance(ours := getattr(drop_in, name), type)]
    return [(ours, base) for ours in classes for base in ours.__mro__[1:] if base.__name__ == ours.__name__]


def _replace(old, new):
    """Let the modules of scikit-learn that have one class under its name have another."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "sklearn" and vars(module).get(old.__name__) is old:
            setattr(module, old.__name__, new)
