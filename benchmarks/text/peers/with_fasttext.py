"""fastText by its Python package, which has no command.

python -m benchmarks.text.peers.with_fasttext train LINES MODEL [NAME=VALUE ...]
python -m benchmarks.text.peers.with_fasttext predict MODEL LINES
"""

import sys

import fasttext

from .files import texts


def train(lines, model, *options):
    """From lines with labels to a model file."""
    named = (option.split("=") for option in options)
    options = {name: float(value) if "." in value else int(value) for name, value in named}
    fasttext.train_supervised(lines, thread=1, verbose=0, **options).save_model(model)


def predict(model, lines):
    """The label of each line; asked of a list, as one text fails with NumPy 2."""
    for labels in fasttext.load_model(model).predict(texts(lines))[0]:
        print(labels[0])


if __name__ == "__main__":
    {"train": train, "predict": predict}[sys.argv[1]](*sys.argv[2:])
