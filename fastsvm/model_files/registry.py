"""The registry of the classes in model files, and files of models without scikit-learn."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import pairwise
from typing import Any

from .. import fitting, text
from . import container, tables
from .container import ModelFileError, UnknownStep, show

# The plain classes, by the names of classes in files; a class is imported when a model has it.
PLAIN = {
    "Pipeline": (fitting, "Pipeline"),
    "SDCAClassifier": (fitting, "SDCA"),
    "ASDCAClassifier": (fitting, "ASDCA"),
    "PegasosClassifier": (fitting, "Pegasos"),
    "PerceptronClassifier": (fitting, "Perceptron"),
    "KernelSDCAClassifier": (fitting, "KernelSDCA"),
    "KernelPegasosClassifier": (fitting, "KernelPegasos"),
    "StandardScaler": (fitting, "Scaler"),
    "BagOfWords": (text, "Bag"),
    "FeatureUnion": (text, "Union"),
    "TermWeighting": (text, "Weighting"),
}


def codec_of(name):
    """Return the codec of a class by its name in files; the codecs of texts take a while to import."""
    if name in tables.CODECS:
        return tables.CODECS[name]
    from . import texts

    return texts.CODECS[name]


class Models:
    """Saving and loading models of some classes.

    Parameters
    ----------
    classes : dict of str
        The names of the classes, by their names in files.
    class_of : callable
        From a name in files to the class. The constructor of "Pipeline" takes a list of (name, step), its
        attribute `steps`.
    """

    def __init__(self, classes: Mapping[str, str], class_of: Callable[[str], Any]):
        self.classes, self.class_of = classes, class_of
        self.name_of = {cls: name for name, cls in classes.items()}

    def save(self, model, path, about=None):
        """Write a model and its `about` to a file, atomically."""
        try:
            parts = self._to_parts(model, dict(about or {}))
        except ModelFileError as error:
            raise ModelFileError(f"{os.fspath(path)}: the model cannot be saved: {error}") from None
        container.write_model(path, parts)

    def load_with_about(self, path):
        """Read a model and its `about` from a file."""
        with container.named_errors(path):
            node, about, tensors = container.open_model(path)
            return self._decode(node, tensors), about

    def _to_parts(self, model, about):
        items = container.take_items(about)
        node, tensors = self._encode(model)
        document = {"schema": container.SCHEMA, "version": version("fastsvm"), "model": node, "about": about}
        try:
            metadata = json.dumps(document, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ModelFileError(f"`about` is not JSON ({error})") from None
        if len(metadata) > container.MAX_HEADER // 2:
            raise ModelFileError("its parameters are too large")
        # The writer makes the reader's checks, so that each written file can be read.
        self._decode(container.described_model(metadata)[0], dict(tensors))
        return container.as_safetensors(tensors | items, {container.KEY: metadata})

    def _encode(self, model):
        """Turn a model into JSON and tensors."""
        if self._name_in_files(model) != "Pipeline":
            return self._encode_step(model)
        if getattr(model, "transform_input", None) is not None:
            raise ModelFileError("a file cannot hold a Pipeline with transform_input")
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
            container.check_field_names(tensors, (), "tensor")
            return model
        steps = container.decode_steps(node, tensors, self._decode_step)
        for (_, first), (name, second) in pairwise(steps):
            given = codec_of(self._name_in_files(first)).n_features_out(first)
            if getattr(second, "n_features_in_", None) != given:
                raise ModelFileError(f"step {show(name)} does not take the {given} features that it gets")
        return self.class_of("Pipeline")(steps)

    def _encode_step(self, model):
        name = self._name_in_files(model)
        if name == "Pipeline":
            raise ModelFileError("a file cannot hold a Pipeline in a Pipeline")
        params, fitted, tensors = codec_of(name).encode(self, name, model)
        return {"class": name, "params": params, "fitted": fitted}, tensors

    def _decode_step(self, node, tensors):
        container.check_object(node, "model description", **{"class": str, "params": dict, "fitted": dict})
        name = node["class"]
        if name not in self.classes or name == "Pipeline":
            raise UnknownStep(f"the file contains a model of the unknown class {show(name)}")
        return codec_of(name).decode(self, name, node["params"], node["fitted"], tensors)

    def _name_in_files(self, model):
        cls = type(model)
        name = self.name_of.get(cls.__name__)
        if name is None or self.class_of(name) is not cls:
            raise ModelFileError(f"a model file cannot hold a {cls.__module__}.{cls.__qualname__}")
        return name


PLAIN_MODELS = Models({name: plain for name, (_, plain) in PLAIN.items()}, lambda name: getattr(*PLAIN[name]))


def save_plain(model: object, path: str | os.PathLike[str], about: Mapping[str, Any] | None = None) -> None:
    """Write a plain model to the same file that `fastsvm.save_model` writes for its estimator.

    Parameters
    ----------
    model : SDCA, ASDCA, Pegasos, Perceptron, KernelSDCA, KernelPegasos, Scaler, Bag, Union, Weighting, or a
        Pipeline of these
    path : str or path-like
        The model file.
    about : dict, optional
        Further facts about the model, as JSON; `load_about` returns them. `training_items`, if given, is an
        array of uint8 of shape (n, 5) or (n,): hashes of the items that the model was trained on.

    Raises
    ------
    ModelFileError, OSError
        As in `fastsvm.save_model`.
    """
    PLAIN_MODELS.save(model, path, about)


def load_plain(path: str | os.PathLike[str]) -> Any:
    """Read a plain model from a file that `save_plain` or `fastsvm.save_model` wrote.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    model
        A model of a class that `save_plain` accepts.

    Raises
    ------
    ModelFileError
        As in `fastsvm.load_model`; also if a step of the model needs scikit-learn.
    OSError
        If the file cannot be read.
    """
    return load_with_about(path)[0]


def load_with_about(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a plain model and its `about` in one pass.

    Parameters
    ----------
    path : str or path-like
        The model file.

    Returns
    -------
    model
        As `load_plain` returns it.
    about : dict
        As `load_about` returns it.

    Raises
    ------
    ModelFileError, OSError
        As in `load_plain`.
    """
    return PLAIN_MODELS.load_with_about(path)


def load_about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the `about` that a model was saved with.

    Parameters
    ----------
    path : str or path-like
        A file that `save_plain` or `fastsvm.save_model` wrote.

    Returns
    -------
    dict
        Empty if the model was saved without `about`.

    Raises
    ------
    ModelFileError, OSError
        If the file cannot be read, or is not a model.
    """
    with container.named_errors(path):
        return container.open_model(path)[1]
