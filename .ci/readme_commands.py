"""Print the commands of README.md that follow <!-- ci: NAME -->, so that CI runs what users are told to.

python .ci/readme_commands.py NAME
"""

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def commands(text, name):
    """Return the lines of the one sh block that the comment announces."""
    blocks = re.findall(rf"<!-- ci: {re.escape(name)} -->\s*```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    if len(blocks) != 1 or not blocks[0].strip():
        sys.exit(
            f"{README.name} has {len(blocks)} sh blocks after <!-- ci: {name} -->, not one with commands"
        )
    return blocks[0]


if __name__ == "__main__":
    print(commands(README.read_text(encoding="utf-8"), sys.argv[1]), end="")
