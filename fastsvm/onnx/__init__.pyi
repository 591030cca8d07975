from .conversion import to_onnx as to_onnx
