"""Print the commands of README.md that follow <!-- ci: NAME -->, or the program that follows <!-- NAME -->.

CI runs what users are told to.

python .ci/readme_commands.py NAME
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def commands(text, name):
    """Return the lines of the one block that the comment announces."""
    pattern = rf"<!-- (?:ci: )?{re.escape(name)} -->\s*```(?:sh|python)\n(.*?)^```"
    blocks = re.findall(pattern, text, re.DOTALL | re.MULTILINE)
    if len(blocks) != 1 or not blocks[0].strip():
        sys.exit(f"{README.name} has {len(blocks)} blocks of code after the comment {name}, not one")
    return blocks[0]


if __name__ == "__main__":
    print(commands(README.read_text(encoding="utf-8"), sys.argv[1]), end="")
