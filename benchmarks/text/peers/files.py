"""Corpora and texts from files, and texts in the form that fastText and Vowpal Wabbit ask for.

    python -m benchmarks.text.peers.files fasttext|vw words|split corpus|texts SOURCE TARGET

Imports no library: what these two need to start is measured.
"""

import re
import sys


def labelled(path):
    """Pairs of label and text: of a table with a header, or of lines of domain, label, id and text."""
    with open(path, encoding="utf-8") as file:
        if path.endswith(".tsv"):
            next(file)
            for line in file:
                yield line.rstrip("\n").split("\t", 1)
        else:
            for line in file:
                _, label, _, text = line.rstrip("\n").split(" ", 3)
                yield label, text


def texts(path):
    """The texts of a file, one per line."""
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def for_fasttext(label, text, tokens):
    """Lower case with signs apart, as its tutorial has it."""
    text = text.lower()
    if tokens == "words":
        text = " ".join(re.findall(r"\w+|[^\w\s]", text))
    return f"__label__{label} {text}" if label else text


def for_vw(label, text, tokens):
    """Lower case, the same tokens as the others count; its own signs, : and |, are spelled out."""
    text = text.lower()
    if tokens == "words":
        text = " ".join(re.findall(r"\b\w\w+\b", text))
    else:
        text = text.replace(":", "COLON").replace("|", "BAR")
    return f"{1 if label == 'pos' else -1} | {text}" if label else f"| {text}"


def main(peer, tokens, kind, source, target):
    """Write the lines of a file as a peer wants them."""
    line = {"fasttext": for_fasttext, "vw": for_vw}[peer]
    rows = labelled(source) if kind == "corpus" else ((None, text) for text in texts(source))
    with open(target, "w", encoding="utf-8") as file:
        file.writelines(line(*row, tokens) + "\n" for row in rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
