"""The command line that gives the same result again."""

import shlex
from collections.abc import Collection

import click
from click.core import ParameterSource

from ...common.options import CountOrAll
from ..settings import spelled


def command_line(context: click.Context, leave_out: Collection[str] = ()) -> str:
    """Return a command line with every value spelled out, wherever it came from.

    Defaults are spelled out too, since another version may have others.

    Parameters
    ----------
    context : click.Context
        Of the command that runs.
    leave_out : collection of str
        Names of options that have nothing to do with the result.
    """
    words = context.command_path.split()
    options, arguments = [], []
    for parameter in context.command.params:
        if not parameter.expose_value or parameter.name in leave_out:
            continue
        value = context.params[parameter.name]
        if isinstance(parameter, click.Argument):
            arguments.append(value)
        elif getattr(parameter, "is_flag", False):
            on, off = parameter.opts, parameter.secondary_opts
            options += [max(on, key=len)] if value else off[:1]
        elif parameter.multiple:
            for each in [value] if isinstance(value, str) else value or ():
                options += [max(parameter.opts, key=len), spelled(each)]
        elif value is not None or _given(context, parameter):
            options += [max(parameter.opts, key=len), spelled(value)]
    return shlex.join([*words, *map(str, arguments), *options])


def _given(context: click.Context, parameter: click.Parameter) -> bool:
    source = context.get_parameter_source(parameter.name)
    return source is not ParameterSource.DEFAULT and isinstance(parameter.type, CountOrAll)
