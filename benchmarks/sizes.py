"""Lines of code of the package, the apps and what serves them, without comments, docstrings and blank lines.

    python -m benchmarks.sizes [REVISION ...]

Each revision of the repository, or what lies here now, is a column; each folder is a row. Tests have a sum of
their own.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

FOLDERS = ("fastsvm", "apps", "data", "benchmarks")
PYTHON = (".py", ".pyi")
# Of other kinds: comments that go before lines are counted, and how a line begins that is a comment.
QUOTED = r'(?m)^[ \t]*r?"""(?s:.*?)"""[ \t]*$'  # a docstring
COMMENTS = {
    (".pyx", ".pxd"): (QUOTED, "#"),  # by patterns: Python's tokens are not Cython's
    (".toml",): ("(?!)", "#"),
    (".js", ".css", ".html"): (r"(?s)/\*.*?\*/|<!--.*?-->|\{#.*?#\}", "//"),
}
QUIET = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def lines_of_python(text):
    """The number of lines that have code: a statement that is nothing but a string has none."""
    lines, statement = set(), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in QUIET and token.type != tokenize.ENDMARKER:
            statement.append(token)
        elif token.type == tokenize.NEWLINE:
            if any(each.type != tokenize.STRING for each in statement):
                lines |= {n for each in statement for n in range(each.start[0], each.end[0] + 1)}
            statement = []
    return len(lines)


def lines_of(name, text):
    """The number of lines of code of a file of Python or of a kind in `COMMENTS`."""
    if name.endswith(PYTHON):
        return lines_of_python(text)
    [(comments, comment)] = (patterns for suffixes, patterns in COMMENTS.items() if name.endswith(suffixes))
    lines = map(str.strip, re.sub(comments, "", text).splitlines())
    return sum(bool(line) and not line.startswith(comment) for line in lines)


def sizes(revision=None):
    """Lines of code by folder, of a revision or of what lies here."""
    command = ["git", "ls-files"] if revision is None else ["git", "ls-tree", "-r", "--name-only", revision]
    names = subprocess.run([*command, *FOLDERS, "tests"], capture_output=True, text=True, check=True).stdout
    counts = Counter()
    for name in names.splitlines():
        tests = name.startswith("tests/")
        if not name.endswith((*PYTHON, *sum(COMMENTS, ()))) or (tests and not name.endswith(".py")):
            continue
        if revision is None:
            text = Path(name).read_text(encoding="utf-8")
        else:
            command = ["git", "show", f"{revision}:{name}"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        folder, *deeper = name.split("/")[:-1]
        counts["/".join([folder, *deeper[: not tests]])] += lines_of(name, text)
    return counts


def main(revisions):
    """Print the table."""
    columns = [sizes(revision) for revision in revisions] + [sizes()]
    tests = [column.pop("tests", 0) for column in columns]
    table = {row: [column[row] for column in columns] for row in sorted(set().union(*columns))}
    table |= {"sum": [sum(column.values()) for column in columns], "tests": tests}
    wide = max(map(len, table))
    print(" ".join([" " * wide, *(f"{name:>10.10}" for name in [*revisions, "here"])]))
    for row, numbers in table.items():
        print(" ".join([f"{row:{wide}}", *(f"{number:10,}" for number in numbers)]))


if __name__ == "__main__":
    main(sys.argv[1:])
