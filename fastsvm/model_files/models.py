"""Models to files and back, by a table of codecs."""

import json
import os
from importlib.metadata import version
from itertools import pairwise

from safetensors.numpy import save

from .container import (
    KEY,
    MAX_HEADER,
    SCHEMA,
    ModelFileError,
    UnknownStep,
    check_field_names,
    check_object,
    decode_steps,
    described_model,
    named_errors,
    open_model,
    show,
    take_items,
    write_model,
)


class Models:
    """The table of models that files may hold.

    Parameters
    ----------
    codecs : list of Codec
    pipeline : type
        Its constructor takes a list of (name, step), its attribute `steps`.
    """

    def __init__(self, codecs, pipeline):
        self.by_class = {codec.cls: codec for codec in codecs}
        self.by_name = {codec.name: codec for codec in codecs}
        self.pipeline = pipeline

    def save(self, model, path, about=None):
        """Write a model and its `about` to a file, completely or not at all."""
        try:
            content = self._to_bytes(model, dict(about or {}))
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)}: the model cannot be saved: {error}") from None
        write_model(path, content)

    def load(self, path):
        """Read a model from a file."""
        return self.load_with_about(path)[0]

    def load_with_about(self, path):
        """Read a model and its `about` from a file."""
        with named_errors(path):
            node, about, tensors = open_model(path)
            return self._decode(node, tensors), about

    def _to_bytes(self, model, about):
        items = take_items(about)
        node, tensors = self._encode(model)
        document = {"schema": SCHEMA, "version": version("fastsvm"), "model": node, "about": about}
        try:
            text = json.dumps(document, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"`about` is not JSON ({error})") from None
        if len(text) > MAX_HEADER // 2:
            raise ModelFileError("its parameters are too large")
        # The reader's checks are the writer's, so that each file that is written can be read.
        self._decode(described_model(text)[0], dict(tensors))
        return save(tensors | items, {KEY: text})

    def _encode(self, model):
        """Turn a model into JSON and tensors."""
        if type(model) is not self.pipeline:
            return self._encode_step(model)
        if getattr(model, "transform_input", None) is not None:
            raise ModelFileError("a Pipeline with transform_input")
        nodes, tensors = [], {}
        for name, step in model.steps:
            node, arrays = self._encode_step(step)
            nodes.append([name, node])
            tensors |= {f"{name}.{key}": array for key, array in arrays.items()}
        return {"class": "Pipeline", "steps": nodes}, tensors

    def _decode(self, node, tensors):
        """Turn JSON and tensors back into a model; no tensor may be left over."""
        if node.get("class") != "Pipeline":
            model = self._decode_step(node, tensors)
            check_field_names(tensors, (), "tensor")
            return model
        steps = decode_steps(node, tensors, self._decode_step)
        for (_, first), (name, second) in pairwise(steps):
            given = self.by_class[type(first)].n_features_out(first)
            if getattr(second, "n_features_in_", None) != given:
                raise ModelFileError(f"step {show(name)} does not take the {given} features it is given")
        return self.pipeline(steps)

    def _encode_step(self, model):
        cls = type(model)
        if cls not in self.by_class:
            raise ModelFileError(f"a model file cannot hold a {cls.__module__}.{cls.__qualname__}")
        params, fitted, tensors = self.by_class[cls].encode(model)
        return {"class": self.by_class[cls].name, "params": params, "fitted": fitted}, tensors

    def _decode_step(self, node, tensors):
        check_object(node, "model description", **{"class": str, "params": dict, "fitted": dict})
        if node["class"] not in self.by_name:
            raise UnknownStep(f"unknown class {show(node['class'])}")
        return self.by_name[node["class"]].decode(node["params"], node["fitted"], tensors)
