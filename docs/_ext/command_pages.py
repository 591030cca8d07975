"""A page for each command: what its `--help` says."""

import re
from importlib.metadata import distribution
from pathlib import Path
from shutil import rmtree
from textwrap import dedent

from click.testing import CliRunner

UNWRAPPED = 10_000  # columns


def plain(text):
    """Return a text of `--help` in Markdown, which shows it as it is; only backquotes have their meaning."""
    parts = text.strip().split("`")
    parts[::2] = (re.sub(r"([*_<\[\\])", r"\\\1", part) for part in parts[::2])
    return "`".join(parts)


def listed(body, program):
    """Return options, or the commands of a program, as a list of definitions."""
    entries = re.findall(r"^  (\S.*?)(?:(?: {2,}|\n {3,})(\S.*))?$", body, flags=re.MULTILINE)
    terms = [f"[`{name}`]({program}-{name}.md)" if name[0] != "-" else f"`{name}`" for name, _ in entries]
    return "\n\n".join(f"{term}\n: {plain(text)}" for term, (_, text) in zip(terms, entries, strict=True))


def page(words, main, below=()):
    """Return a page in Markdown. Examples are a block of their own, to be copied."""
    asked = [*words[1:], "--help"]
    help_text = CliRunner().invoke(main, asked, prog_name=words[0], terminal_width=UNWRAPPED).stdout
    about, *sections = re.split(r"^(\S.*):\n", help_text, flags=re.MULTILINE)
    usage, purpose, *rest = about.strip().split("\n\n")
    blocks = [f"# {' '.join(words)}", plain(purpose), f"Usage: `{usage.removeprefix('Usage: ')}`"]
    for block in rest:
        heading, _, examples = block.partition(":\n")
        blocks.append(f"{heading.strip()}:\n\n```sh\n{dedent(examples)}\n```" if examples else plain(block))
    for heading, body in zip(sections[::2], sections[1::2], strict=True):
        blocks += [f"## {heading}", listed(body, words[0])]
    contents = ["```{toctree}", ":hidden:", "", *below, "```"] if below else []
    return "\n\n".join([*blocks, "\n".join(contents)]) + "\n"


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
