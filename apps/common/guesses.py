"""Names of commands and options in other programs, and the names to suggest to a user who types these."""

from collections.abc import Sequence

# Words, and the commands to suggest for them.
COMMANDS = {
    "train fit learn": "fastsvm fit, fastsvm-sentiment train, fastsvm-cells train",
    "predict classify label count": "fastsvm predict, fastsvm-sentiment predict, fastsvm-cells classify",
    "evaluate eval test score": "fastsvm predict, fastsvm-sentiment evaluate, fastsvm-cells evaluate",
    "explain why words features": "fastsvm-sentiment explain, fastsvm-cells explain",
    "inspect info describe stats check": "fastsvm-sentiment inspect, fastsvm certify",
    "export convert save prune": "fastsvm convert, fastsvm-sentiment export",
    "cv crossval cross-validate tune": "fastsvm cv, fastsvm-sentiment train --folds",
    "sample demo example": "fastsvm-sentiment sample, fastsvm-cells sample",
    "sentiment text texts": "fastsvm-sentiment",
    "cells images": "fastsvm-cells",
    "studies": "fastsvm-studies",
}
# Options that mean much the same: a command has one or two of these.
OPTIONS = [
    "--holdout --test --test-size --test-split --validation-split",
    "--folds -v --cv --n-folds --n-splits --kfold",
    "--output -o --out --save --save-to --model --outfile",
    "--alpha --cost -c -C --C --lambda --reg --regularization",
    "--classifier --kernel --algorithm --solver --estimator --method",
    "--ngrams --n-grams --ngram-range --wordNgrams --ngram",
    "--k --features --max-features --n-features --top-k",
    "--epochs --epoch --max-iter --iterations --n-epochs --passes",
    "--min-score --threshold --confidence",
    "--cell-width --scale --size --diameter",
    "--proba --prob --probability --probabilities -b",
]
NEEDLESS = {
    "--lr --learning-rate --eta --step-size": "There is no learning rate to set",
    "--n-jobs --jobs --threads --workers -j": "The number of cores is chosen automatically",
    "--batch-size --batch": "There is no batch size to set",
    "--text": "The column of texts is --text-col; for one text: echo 'x' | fastsvm-sentiment predict",
    "--train --input --data --corpus --file -i -f": "Give the file without an option",
}
KINDS = {"fastsvm-sentiment": "texts", "fastsvm-cells": "cells"}


def _alike(table, word):
    return next((table[words] for words in table if word in words.split()), "")


def meant_option(word: str, known: Sequence[str]) -> str:
    """Return what to add to the message about an unknown option of a command with the options `known`."""
    if told := _alike(NEEDLESS, word):
        return f" {told}."
    alike = next((words.split() for words in OPTIONS if word in words.split()), [])
    own = [each for each in alike if each in known and each.startswith("--")]
    hint = " = 1 / (C n) for n texts or rows" if own == ["--alpha"] and word.strip("-") in "Cc" else ""
    return f" Did you mean {' or '.join(own)}{hint}?" if own else ""


def meant_command(program: str, word: str) -> str:
    """Return what to add to the message about an unknown command of a program."""
    found = _alike(COMMANDS, word.lower()).split(", ")
    own = [each for each in found if each.startswith(f"{program} ")]
    # The name of fastsvm says nothing of texts or cells.
    others = [each for each in found if each.split()[0] in KINDS] if program == "fastsvm" and own else []
    told = f" Did you mean {' or '.join(own or found)}?" if any(found) else ""
    return told + "".join(f" For {KINDS[each.split()[0]]}: {each}." for each in others)
