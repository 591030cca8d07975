"""The programs, ours and the peers': the commands that train and predict, each one or two processes."""

import sys
from importlib.util import find_spec

CONVERTED = ".converted"  # ending of files in a peer's own form


class Contender:
    """A program with its options. Commands are lists of words, the conversion of texts the first of two."""

    requires = "sklearn"
    package = None  # what to install for it

    def __init__(self, name, *options):
        self.name, self.options = name, options

    @property
    def installed(self):
        """Whether its package is."""
        return find_spec(self.requires) is not None

    def imports(self):
        """The command that does nothing but import what training needs."""
        return _python("-c", f"import {self.requires}")

    def train(self, tokens, corpus, model):
        """Commands from a file of labelled texts to a model."""
        raise NotImplementedError

    def predict(self, tokens, model, texts):
        """Commands from a file of texts to one line each on standard output."""
        raise NotImplementedError

    def label(self, line):
        """What a line of predictions says."""
        return line


class FastSVM(Contender):
    """The command fastsvm-sentiment."""

    requires = "fastsvm_apps"

    def imports(self):
        """What the command imports once it has work to do."""
        names = "fitting.SDCA, fitting.sdca_path, text.Bag, text.Weighting, model_files.save_plain"
        rooms = "from fastsvm import fitting, model_files, text"
        return _python("-c", f"{rooms}; from fastsvm_apps.sentiment.jobs import text_training; {names}")

    def train(self, tokens, corpus, model):
        """Of all texts in the file."""
        options = "--holdout", "0", "--quiet", *self.options
        return [_python("-m", "fastsvm_apps.sentiment", "train", corpus, "-o", model, *options)]

    def predict(self, tokens, model, texts):
        """Label and score."""
        return [_python("-m", "fastsvm_apps.sentiment", "predict", model, texts, "--quiet")]

    def label(self, line):
        """Before the tab."""
        return line.split("\t")[0]


class ScikitLearn(Contender):
    """A script with a pipeline."""

    script = "benchmarks.text.peers.with_sklearn"

    def imports(self):
        """Those of the script."""
        return _python("-c", f"import {self.script}")

    def train(self, tokens, corpus, model):
        """By the recipe's name."""
        return [_python("-m", self.script, "train", *self.options, tokens, corpus, model)]

    def predict(self, tokens, model, texts):
        """Labels."""
        return [_python("-m", self.script, "predict", model, texts)]


class FastText(Contender):
    """A script that calls fastText."""

    requires, package, script = "fasttext", "fasttext-wheel", "benchmarks.text.peers.with_fasttext"

    def train(self, tokens, corpus, model):
        """Convert, and train with the options."""
        lines = f"{corpus}{CONVERTED}"
        script = _python("-m", self.script, "train", lines, model, *self.options)
        return [_convert("fasttext", tokens, "corpus", corpus, lines), script]

    def predict(self, tokens, model, texts):
        """Convert, and predict."""
        lines = f"{texts}{CONVERTED}"
        script = _python("-m", self.script, "predict", model, lines)
        return [_convert("fasttext", tokens, "texts", texts, lines), script]

    def label(self, line):
        """After the sign of labels."""
        return line.removeprefix("__label__")


class VowpalWabbit(Contender):
    """The command that the Python package brings, `python -m vowpalwabbit`."""

    requires = package = "vowpalwabbit"

    def imports(self):
        """The library."""
        return _python("-c", "import vowpalwabbit.pyvw")

    def train(self, tokens, corpus, model):
        """Convert, and train with the options, more than one pass from a cache."""
        lines = f"{corpus}{CONVERTED}"
        options = "--quiet", "-k", "--cache_file", f"{lines}.cache", "--holdout_off", *self.options
        train = _python("-m", "vowpalwabbit", "-d", lines, "-f", model, *options)
        return [_convert("vw", tokens, "corpus", corpus, lines), train]

    def predict(self, tokens, model, texts):
        """Convert, and predict."""
        lines = f"{texts}{CONVERTED}"
        told = "-t", "-i", model, "-d", lines, "-p", "/dev/stdout", "--quiet"
        return [_convert("vw", tokens, "texts", texts, lines), _python("-m", "vowpalwabbit", *told)]

    def label(self, line):
        """By the sign."""
        return "pos" if float(line.split()[0]) > 0 else "neg"


def _python(*words):
    return [sys.executable, *words]


def _convert(*words):
    return _python("-m", "benchmarks.text.peers.files", *words)


LOGISTIC = "--loss_function", "logistic", "-b", "22"
HINGE = "--loss_function", "hinge", "-b", "22"
SMALL = "wordNgrams=2", "dim=10", "bucket=1000000"
CONTENDERS = (
    FastSVM("fastsvm, default"),
    FastSVM("fastsvm, --recipe article", "--recipe", "article"),
    ScikitLearn("scikit-learn, counts, 5000, SGD", "svm"),
    ScikitLearn("scikit-learn, counts, 5000, perceptron", "perceptron"),
    ScikitLearn("scikit-learn, tf-idf 1-2, LinearSVC", "tfidf"),
    FastText("fastText, 2-grams", "wordNgrams=2"),
    *(
        FastText(f"fastText, 2-grams, dim 10, lr .5, epochs: {n}", *SMALL, "lr=0.5", f"epoch={n}")
        for n in ("10", "25")
    ),
    VowpalWabbit("Vowpal Wabbit, 1-grams, passes: 10", *LOGISTIC, "--passes", "10"),
    *(
        VowpalWabbit(f"Vowpal Wabbit, 2-grams, passes: {n}", *LOGISTIC, "--ngram", "2", "--passes", n)
        for n in ("1", "5", "10")
    ),
    VowpalWabbit("Vowpal Wabbit, 2-grams, hinge, passes: 5", *HINGE, "--ngram", "2", "--passes", "5"),
)
