"""Lines of code of the package and the apps, without comments, docstrings and blank lines.

    python -m benchmarks.sizes [REVISION ...]

Each revision of the repository, or what lies here now, is a column; each folder is a row.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

FOLDERS = ("fastsvm", "apps")
QUIET = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def lines_of_python(text):
    """The numbers of the lines that have code: a statement that is nothing but a string has none."""
    lines, statement = set(), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in QUIET and token.type != tokenize.ENDMARKER:
            statement.append(token)
        elif token.type == tokenize.NEWLINE:
            if any(each.type != tokenize.STRING for each in statement):
                lines |= {n for each in statement for n in range(each.start[0], each.end[0] + 1)}
            statement = []
    return lines


def lines_of_cython(text):
    """As `lines_of_python`, by patterns: Python's tokens are not Cython's."""
    text = re.sub(r'(?ms)^[ \t]*r?""".*?"""[ \t]*$', lambda found: "\n" * found[0].count("\n"), text)
    return {
        n for n, line in enumerate(text.splitlines()) if line.strip() and not line.strip().startswith("#")
    }


def sizes(revision=None):
    """Lines of code by folder, of a revision or of what lies here."""
    command = ["git", "ls-files"] if revision is None else ["git", "ls-tree", "-r", "--name-only", revision]
    names = subprocess.run([*command, *FOLDERS], capture_output=True, text=True, check=True).stdout.split()
    counts = Counter()
    for name in names:
        if name.endswith((".py", ".pyi", ".pyx", ".pxd")):
            if revision is None:
                text = Path(name).read_text(encoding="utf-8")
            else:
                text = subprocess.run(
                    ["git", "show", f"{revision}:{name}"], capture_output=True, text=True, check=True
                ).stdout
            lines = lines_of_python(text) if name.endswith((".py", ".pyi")) else lines_of_cython(text)
            counts["/".join(name.split("/")[:2]) if name.count("/") > 1 else name.split("/")[0]] += len(lines)
    return counts


def main(revisions):
    """Print the table."""
    columns = [sizes(revision) for revision in revisions] + [sizes()]
    rows = sorted(set().union(*columns))
    wide = max(map(len, rows))
    print(" ".join([" " * wide, *(f"{name:>10.10}" for name in [*revisions, "here"])]))
    for row in [*rows, "sum"]:
        numbers = [sum(column.values()) if row == "sum" else column[row] for column in columns]
        print(" ".join([f"{row:{wide}}", *(f"{number:10,}" for number in numbers)]))


if __name__ == "__main__":
    main(sys.argv[1:])
