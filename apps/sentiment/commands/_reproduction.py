"""The command line that gives the same result again."""

import shlex

import click

from ...common.options import LAST_SECTION
from ..text_recipes import spelled_setting


def command_line(context: click.Context) -> str:
    """Return a command line with the value of every option that affects the result.

    It includes defaults, since another version may have others.

    Parameters
    ----------
    context : click.Context
        The context of the command that runs.
    """
    arguments, options = [], []
    for parameter in context.command.params:
        value = context.params.get(parameter.name)
        if isinstance(parameter, click.Argument):
            arguments.append(str(value))
        elif getattr(parameter, "section", LAST_SECTION) in ("Output", LAST_SECTION):
            continue
        elif value is True:
            options.append(max(parameter.opts, key=len))
        elif value not in (None, False, ()):
            for each in value if parameter.multiple and not isinstance(value, str) else [value]:
                options += [max(parameter.opts, key=len), spelled_setting(each)]
    if config := context.meta.get("config"):
        options += ["--config", config]
    return shlex.join([*context.command_path.split(), *arguments, *options])
