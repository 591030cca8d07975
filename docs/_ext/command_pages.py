"""A page for each command: what its `--help` prints at 80 columns."""

import re
from importlib.metadata import distribution
from pathlib import Path
from shutil import rmtree
from textwrap import dedent

from click.testing import CliRunner


def page(words, main, below=()):
    """Return a page in Markdown. Examples are a block of their own, to be copied."""
    # click leaves two columns free
    help_text = CliRunner().invoke(main, [*words[1:], "--help"], prog_name=words[0], terminal_width=78).stdout
    parts = re.split(r"^ *Examples:\n((?: +\S.*\n)+)", help_text, flags=re.MULTILINE)
    blocks = ["```text\n" + part.strip("\n") + "\n```" for part in parts if part.strip()]
    blocks[1::2] = ["Examples:\n\n```sh\n" + dedent(part) + "```" for part in parts[1::2]]
    contents = ["```{toctree}", *below, "```"] if below else []
    return "\n\n".join([f"# {' '.join(words)}", *blocks, "\n".join(contents)]) + "\n"


def write_pages(app):
    """Write the pages of all programs to reference/commands."""
    folder = Path(app.srcdir, "reference", "commands")
    rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for program in distribution("fastsvm").entry_points.select(group="console_scripts"):
        main = program.load()
        commands = main.list_commands(None)
        names = [f"{program.name}-{command}" for command in commands]
        texts = [page([program.name, command], main) for command in commands]
        texts.append(page([program.name], main, names))
        for name, text in zip([*names, program.name], texts, strict=True):
            (folder / f"{name}.md").write_text(text, encoding="utf-8")


def setup(app):
    """Sphinx calls this."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
