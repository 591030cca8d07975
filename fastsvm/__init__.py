"""Linear and kernel classifiers that certify how far they are from the optimum.

Classes and functions::

    classifiers     SDCAClassifier, SDCAClassifierCV, ASDCAClassifier, PegasosClassifier, PerceptronClassifier
    kernel machines KernelSDCAClassifier, KernelSDCAClassifierCV, KernelPegasosClassifier,
                    and KernelFeatures for linear ones
    optimum         certify: distance of a linear classifier from the optimum; sdca_path: fits for many alphas
    model files     save_model and load_model: safetensors, no pickle
    bug reports     show_versions

Packages::

    fastsvm.drop_in      scikit-learn's classes, with its parameters, computed by fastsvm
    fastsvm.text         texts to matrices: vectorisers, weights and choice of terms
    fastsvm.io           matrices larger than memory
    fastsvm.onnx         models for onnxruntime
    fastsvm.dask         the certified SDCA on a cluster
    fastsvm.solvers      plain functions on arrays; they need NumPy and SciPy only
    fastsvm.fitting      plain models, without scikit-learn
    fastsvm.model_files  model files, without scikit-learn

Commands: fastsvm (files of vectors), fastsvm-sentiment (texts), fastsvm-cells (blood smears),
fastsvm-studies (comparisons).
"""

from importlib.machinery import PathFinder

from ._utils.lazy import lazily

if PathFinder.find_spec("_rows", [f"{__path__[0]}/solvers"]) is None:  # else Python blames a circular import
    raise ImportError(
        f"{__path__[0]} has no compiled modules for this Python: in a clone of the repository run "
        "'pip install -e .', or start Python in another folder.",
        name="fastsvm.solvers._rows",
    )

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
