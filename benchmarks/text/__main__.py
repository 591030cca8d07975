"""fastsvm on texts against scikit-learn, fastText and Vowpal Wabbit.

    python -m benchmarks.text --data DIR [--sections NAME ...] [--json FILE]

DIR has sentiment.txt and imdb_10k.tsv. Three sections: `vectorise` times CountVectorizer and
HashingVectorizer, `select` SelectKBest, both in this process, the contenders alternating, after it is
checked that results are the same; `programs` goes from a file to a model and from a file to
predictions, every contender in processes of its own, on as many cores as --cores says, on the same splits.
"""

import argparse
import json
from pathlib import Path

from ..machine import pin

SECTIONS = ("vectorise", "select", "programs")
CORPORA = ("sentiment", "imdb")


def options():
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.text",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        default=Path("../shared/data"),
        metavar="DIR",
        help="of the files (default: %(default)s)",
    )
    add("--corpora", nargs="+", default=CORPORA, choices=CORPORA, help="default: both")
    add("--sections", nargs="+", default=SECTIONS, choices=SECTIONS, help="default: all")
    add("--rounds", type=int, default=5, help="of vectorise and select (default: 5)")
    add("--threads", type=int, default=2, help="of the vectoriser, besides one (default: 2)")
    add("--cores", type=int, default=1, metavar="N", help="of the programs (default: 1)")
    add("--seeds", type=int, default=3, help="splits for the programs, a round each (default: 3)")
    add("--contenders", nargs="+", metavar="NAME", help="only programs whose names begin so")
    add("--core", type=int, help="the core to run on (default: the highest that is allowed)")
    add("--json", type=Path, metavar="FILE", help="where to write every figure")
    return parser.parse_args()


def main():
    """Run the command line."""
    found = options()
    where = pin(found.core, 1)  # before NumPy's libraries start their threads
    from .run import run

    record = run(found, where)
    if found.json:
        found.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
