"""Every method of classification, and the parameters that tests of what all do alike give its classes."""

from inspect import signature

import fastsvm
from fastsvm import fitting

# A new method needs a line here: the parameters of each kind of it.
KINDS = {
    "SDCA": [{}, {"loss": "log"}, {"loss": "log", "multi_class": "multinomial"}],
    "ASDCA": [{}],
    "Pegasos": [{}, {"loss": "log", "averaging": "tail"}],
    "Perceptron": [{"averaging": "all"}],
    "KernelSDCA": [{}, {"loss": "log"}],
    "KernelPegasos": [{}],
}
LINEAR = [name for name in KINDS if not name.startswith("Kernel")]
KERNEL = [name for name in KINDS if name.startswith("Kernel")]


def names_of(name):
    """What has the parameters of a method, or most of them: function, plain class, classifiers, path."""
    function = name.lower().replace("kernel", "kernel_")
    more = [f"{name}Classifier", f"{name}ClassifierCV", f"{function}_path"]
    return [function, name, *(each for each in more if each in fastsvm.__all__)]


def made(name, room=fastsvm, **options):
    """Make a classifier with scikit-learn's contract, or in the room `fitting` without; alpha is 0.01."""
    kind = getattr(room, name if room is fitting else f"{name}Classifier")
    shared = {"alpha": 0.01, "random_state": 0}
    return kind(**{each: shared[each] for each in shared if each in signature(kind).parameters} | options)


def estimators(names=tuple(KINDS), **without):
    """Classifiers of each kind of some methods, but for kinds with a parameter of such a value."""
    kinds = [(name, options) for name in names for options in KINDS[name]]
    return [made(name, **options) for name, options in kinds if not without.items() & options.items()]
