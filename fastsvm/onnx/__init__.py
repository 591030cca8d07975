"""Fitted models as ONNX graphs, which onnxruntime computes without Python or fastsvm.

Install with ``pip install "fastsvm[onnx]"``. `to_onnx` is skl2onnx's function of that name with arrays as
outputs. Once this package is imported, skl2onnx's own function also converts fastsvm's classes.
"""

from importlib.util import find_spec

from .._utils.lazy import lazily

if find_spec("skl2onnx") is None:
    raise ImportError('fastsvm.onnx needs skl2onnx: pip install "fastsvm[onnx]"', name="skl2onnx")

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
__getattr__("to_onnx")  # registers the classes
