"""Option decorators and parameter types that the commands share."""

import math

import click

from .errors import USAGE, AppError
from .files import read_limited

MAX_CONFIG = 1 << 20  # bytes


class FiniteRange(click.FloatRange):
    """A float range that refuses nan, which compares false with both ends."""

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


COUNT = click.IntRange(min=1)
STRENGTH = FiniteRange(min=0, min_open=True)


class CountOrAll(click.ParamType):
    """A whole number of at least 1, or ``all`` (None)."""

    name = "count"

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        return None if value == "all" else COUNT.convert(value, param, ctx)


def _load_config(ctx, param, path):
    """Take option defaults from a TOML file; the command line and the environment come first."""
    if path is None:
        return
    import tomllib

    try:
        config = tomllib.loads(read_limited(path, MAX_CONFIG, "a config file", USAGE).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise AppError(f"{path}: not a TOML file: {error}", USAGE) from error
    known = {other.name for other in ctx.command.params if isinstance(other, click.Option)} - {param.name}
    # Values go through as text, as if typed, so that none slips past the check of its option.
    several = {other.name for other in ctx.command.params if getattr(other, "multiple", False)}
    ctx.default_map = {
        (name := key.replace("-", "_")): _as_typed(value, name in several) for key, value in config.items()
    }
    if unknown := sorted(ctx.default_map.keys() - known):
        keys = ", ".join(sorted(known)).replace("_", "-")
        raise AppError(f"{path}: unknown key {', '.join(unknown)}; '{ctx.info_name}' knows {keys}", USAGE)


def _as_typed(value: object, is_list: bool) -> str | list[str]:
    """Return a value as if typed: of an option that may be given several times, one or a list of them."""
    if is_list:
        return [*map(str, value)] if isinstance(value, list) else [str(value)]
    return str(value)


json_option = click.option("--json", is_flag=True, help="Print one JSON object instead of tables.")
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    help="Seed of every random choice: the same seed gives the same numbers.",
)

# The options that every command has.
COMMON = [
    click.Option(
        ["--config"],
        is_eager=True,
        expose_value=False,
        callback=_load_config,
        metavar="FILE.toml",
        help="Take option values from a TOML file; its keys are option names (k = 2000).",
    ),
    click.Option(["-q", "--quiet"], is_flag=True, help="Nothing on stderr but errors."),
    click.Option(["-v", "--verbose"], is_flag=True, help="Name each stage on stderr as it begins."),
]


def command(app: str, *examples: str):
    """Return a decorator that makes a function a command, with the options that every command has.

    Parameters
    ----------
    app : str
    *examples : str
        Command lines without the name of the app, for the help.
    """
    # \b keeps click from filling the lines.
    epilog = "\b\nExamples:\n" + "\n".join(f"  {app} {line}" for line in examples)

    def decorate(function):
        made = click.command(epilog=epilog)(function)
        made.params += COMMON
        return made

    return decorate
