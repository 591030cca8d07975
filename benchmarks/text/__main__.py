"""fastsvm on texts against scikit-learn, fastText and Vowpal Wabbit.

    python -m benchmarks.text --data DIR [--sections NAME ...] [--json FILE]

DIR has sentiment.txt and imdb_10k.tsv. Three sections: `vectorise` times CountVectorizer and
HashingVectorizer, `select` SelectKBest, both in this process, the contenders alternating, after it is
checked that results are the same; `programs` goes from a file to a model and from a file to
predictions, every contender in processes of its own, on as many cores as --cores says, on the same splits.
"""

from pathlib import Path

from ..machine import parser_of, pin, run_sections

SECTIONS = ("vectorise", "select", "programs")
CORPORA = ("sentiment", "imdb")
PACKAGES = ("fastsvm", "numpy", "scipy", "scikit-learn", "fasttext-wheel", "vowpalwabbit")


def main():
    """Measure and print, section by section; write every figure where that is asked for."""
    parser = parser_of("text", __doc__, SECTIONS)
    add = parser.add_argument
    add("--corpora", nargs="+", default=CORPORA, choices=CORPORA, help="default: both")
    add("--rounds", type=int, default=5, help="of vectorise and select (default: 5)")
    add("--cores", type=int, default=1, metavar="N", help="of the programs (default: 1)")
    add("--seeds", type=int, default=3, help="splits for the programs, a round each (default: 3)")
    add("--contenders", nargs="+", metavar="NAME", help="only programs whose names begin so")
    add("--json", type=Path, metavar="FILE", help="where to write every figure")
    options = parser.parse_args()
    where = pin(options.core, 1)  # before NumPy's libraries start their threads
    from . import parts
    from .corpora import load
    from .programs import programs

    corpora = [load(name, options.data) for name in options.corpora]

    def measure(section):
        if section != "programs":
            return getattr(parts, section)(options, corpora)
        print(pin(options.core, options.cores))
        found = programs(options, corpora)
        pin(options.core, 1)
        return found

    run_sections(options, PACKAGES, where, measure, options.json)


if __name__ == "__main__":
    main()
