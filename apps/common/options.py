"""Option decorators, parameter types and the sections of the help that all commands share."""

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Any

import click

from .errors import OPTION, USAGE, AppError
from .files import read_small_file
from .guesses import meant_option
from .limits import LEAST_STRENGTH, MOST_STRENGTH
from .paths import Reads, check_paths
from .printing import GIVE_ENCODING, decoded, tidy_warnings
from .progress import Stages

MAX_CONFIG = 1 << 20  # bytes


class _Finite(click.ParamType):
    """Refuses nan, which compares false with both ends of a range."""

    def convert(self, value, param, ctx):
        """Convert and check one value."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class FiniteFloat(_Finite, click.types.FloatParamType):
    """A finite number."""


class FiniteRange(_Finite, click.FloatRange):
    """A finite number in a range."""


class Value(click.ParamType):
    """A value that a function checks: the function returns the value, or raises ValueError."""

    def __init__(self, name: str, check: Callable) -> None:
        self.name, self._check = name, check

    def convert(self, value, param, ctx):
        """Check one value."""
        try:
            return self._check(value)
        except ValueError as error:
            self.fail(f"{error}.", param, ctx)


COUNT = click.IntRange(min=1)
LOSS = click.Choice(("hinge", "squared_hinge", "smooth_hinge", "log"))
STRENGTH = FiniteRange(LEAST_STRENGTH, MOST_STRENGTH)


def _load_config(ctx, param, path):
    """Take option defaults from a TOML file; the command line overrides them."""
    if path is None:
        return
    import tomllib

    try:
        config = tomllib.loads(read_small_file(path, MAX_CONFIG, "a config file", USAGE).decode())
    except RecursionError as error:
        raise AppError(f"{path}: nested too deeply; give one value to each key", USAGE) from error
    except ValueError as error:
        raise AppError(f"{path}: not a TOML file: {str(error).split(':')[0]}", USAGE) from error
    options = {
        max(each.opts, key=len)[2:].replace("-", "_"): each
        for each in ctx.command.params
        if isinstance(each, click.Option) and each.name not in (param.name, AS_OPTION)
    }
    known = {*options}
    ctx.default_map, unknown = {}, []
    ctx.meta["config"] = path
    for key, value in config.items():
        name = key.replace("-", "_")
        if isinstance(value, dict) and name in known.union(ctx.command.only_in_config):
            raise AppError(f"{path}: {key} is a table; give it a value", USAGE)
        if name in ctx.command.only_in_config:
            ctx.params[name] = value
            ctx.meta["needs_config"] = True  # its values are on no command line
        elif name not in known:
            unknown.append(name)
        elif options[name].multiple:
            ctx.default_map[options[name].name] = [*map(str, value if isinstance(value, list) else [value])]
        else:  # as text, as if typed, so that no value slips past the check of its option
            ctx.default_map[options[name].name] = str(value)
    if unknown:
        keys = ", ".join(sorted(known.union(ctx.command.only_in_config))).replace("_", "-")
        told = f"unknown key {', '.join(sorted(unknown))}; '{ctx.info_name}' knows {keys}"
        raise AppError(f"{path}: {told}", USAGE)


json_option = click.option("--json", is_flag=True, help="Print one JSON object instead of tables.")
SEED_HELP = "Seed of every random choice: the same seed gives the same numbers."
seed_option = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, help=SEED_HELP)


def option_field(default: object, help: str, **option: object) -> Any:
    """Return a field of a dataclass of settings, with the option of a command that sets it.

    Parameters
    ----------
    default : object
    help : str
    **option
        `letter`, and `type`, `metavar` and more, as for `click.option`.
    """
    return field(default=default, metadata={"help": help, **option})


def options_of_fields(settings: type, *names: str) -> list[Callable]:
    """Return the options of fields made by `option_field`: all of them, or those with these names."""
    made = {}
    for each in fields(settings):
        option = dict(each.metadata)
        letters = [f"-{letter}" for letter in option.pop("letter", "")]
        if option:
            made[each.name] = click.option(
                *letters, f"--{each.name.replace('_', '-')}", default=each.default, **option
            )
    return [made[name] for name in names or made]


SECTIONS = ("Input", "Recipe", "Training", "Evaluation", "Output")  # of the help, in this order
LAST_SECTION = "General"
# Options that few users need come last, below the heading "Advanced".
ADVANCED = {
    *("config", "scheduler", "stream", "seed", "encoding", "label_sep", "score", "k"),
    *("zero_based", "coef0", "degree", "solver_type", "versions", "also", "strict"),
}


def section(title: str, *options: Callable):
    """Return a decorator that adds options to a command, below a heading of its help.

    Parameters
    ----------
    title : str
        One of `SECTIONS`, or another heading, which comes after these.
    *options : decorators
        What `click.option` returns, in the order of the help.

    Examples
    --------
    >>> @command("fastsvm-cells", "count smears", "count smears --json")
    ... @section("Output", json_option)
    ... def count(json, stage, verbose):
    ...     "Count the cells."
    """

    def decorate(function):
        for option in reversed(options):
            function = option(function)
            function.__click_params__[-1].section = title
        return function

    return decorate


class Command(click.Command):
    """A command whose help lists the options by section.

    Parameters
    ----------
    only_in_config : mapping
        Names of parameters that are not options, each with `Reads` or `Writes` if it is a path. The function
        gets the values that the --config file has, with TOML's types.
    needs_stdout : bool
        Whether the command fails if stdout is closed, unless it writes a file.
    """

    def __init__(
        self, *args, only_in_config: Mapping | None = None, needs_stdout: bool = True, **more
    ) -> None:
        super().__init__(*args, **more)
        self.only_in_config, self.needs_stdout = only_in_config or {}, needs_stdout

    def parse_args(self, ctx, args):
        """Read a command line; for a parameter that is not an option, say where it is set."""
        given = " ".join(args)
        try:
            return super().parse_args(ctx, self._with_model_in_place(ctx, args))
        except click.NoSuchOption as error:
            known = [f"--{name}" for name in self.only_in_config]
            known += [name for each in self.params for name in each.opts]
            if told := meant_option(error.option_name, known):
                error.message, error.possibilities = error.message + told, None
            name = error.option_name.removeprefix("--")
            if name.replace("-", "_") in self.only_in_config:
                value = re.search(rf"--{name}[ =]?([^-\s]\S*)?", given)[1] or "..."
                error.message = f"--{name} is set in a file: give --config FILE with {_as_toml(name, value)}"
                error.possibilities = None
            raise

    def _with_model_in_place(self, ctx, args):
        """Return the arguments with the model as the command takes it: as an argument or as `-m MODEL`.

        An option with one value that is given twice is an error.
        """
        given, _, order = self.make_parser(ctx).parse_args([*args])
        for each in order:
            is_single = isinstance(each, click.Option) and not (each.multiple or each.is_flag)
            if is_single and order.count(each) > 1:
                raise AppError(f"{max(each.opts, key=len)} is given twice; give it once", USAGE)
        if AS_OPTION in given:
            return [given[AS_OPTION], *args]
        first = next((given[each.name] for each in self.params if isinstance(each, click.Argument)), None)
        first = first[0] if first and isinstance(first, tuple) else first
        takes_option = any(isinstance(each, click.Option) and each.name == "model" for each in self.params)
        if takes_option and "model" not in given and str(first).endswith(".safetensors"):
            place = args.index(first)
            return ["-m", first, *args[:place], *args[place + 1 :]]
        return args

    def invoke(self, ctx):
        """Run the command; errors name a parameter that is not an option as the --config file does."""
        try:
            check_paths(ctx)
            with tidy_warnings():
                return super().invoke(ctx)
        except AppError as error:
            has_option = any(each.name == "encoding" for each in self.params)
            message = decoded(error.message, GIVE_ENCODING if has_option else "save the file in UTF-8")
            error.message = OPTION.sub(self._as_in_config, message)
            raise

    def _as_in_config(self, option: re.Match) -> str:
        name, value = option.groups()
        if name.replace("-", "_") not in self.only_in_config:
            return option[0]
        return f"{name if value is None else _as_toml(name, value)} in --config"

    def format_options(self, ctx, formatter):
        """Write the options, each section below its heading."""
        sections = {title: [] for title in SECTIONS}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                title = "Advanced" if param.name in ADVANCED else getattr(param, "section", LAST_SECTION)
                sections.setdefault(title, []).append(record)
        last = {title: sections.pop(title, []) for title in ("Advanced", LAST_SECTION)}
        for title, records in (sections | last).items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _as_toml(name: str, value: str) -> str:
    is_bare = value in ("true", "false", "...") or re.fullmatch(r"[\d.]+", value)
    return f"{name} = {value}" if is_bare else f'{name} = "{value}"'


def _set_stage(ctx, param, verbose):
    ctx.meta["quiet"] = verbose is False
    ctx.params["stage"] = Stages(verbose is True, spinner=verbose is not False)
    return verbose is True


def _verbose_option(*names: str) -> click.Option:
    return click.Option(
        names,
        default=None,
        callback=_set_stage,
        help="Verbose: print the name of each stage to stderr as it begins. Quiet: print only errors there.",
    )


AS_OPTION = "model_as_option"
MODEL_OPTION = click.Option(
    [AS_OPTION, "-m", "--model"], expose_value=False, metavar="MODEL", help="The same as the argument MODEL."
)
MODEL_OPTION.section = "Input"

# The options that every command has.
COMMON = [
    click.Option(
        ["--config"],
        is_eager=True,
        expose_value=False,
        callback=_load_config,
        type=Reads(),
        metavar="FILE.toml",
        help="Read option values from a TOML file. Its keys are option names, for example k = 2000.",
    ),
    _verbose_option("-v/-q", "--verbose/--quiet"),
]


def command(app: str, *examples: str, letter_v: bool = True, only_in_config: Mapping | None = None, **more):
    """Return a decorator that makes a function a command, with the options that every command has.

    The function also gets `stage`, the `Stages` of a run, and `verbose`.

    Parameters
    ----------
    app : str
    *examples : str
        Command lines without the name of the app, for the help.
    letter_v : bool
        Whether -v is --verbose; if not, the command may use -v otherwise.
    only_in_config, **more
        See `Command`.
    """
    # \b keeps click from filling the lines.
    shown = "\b\nExamples:\n" + "\n".join(f"  {app} {line}" for line in examples)
    if only_in_config:
        names = ", ".join(sorted(only_in_config)).replace("_", "-")
        more["epilog"] = f"Only a --config file can set {names}."

    def decorate(function):
        first, _, rest = inspect.getdoc(function).partition("\n\n")
        text = f"{first}\n\n{shown}\n\n{rest}"
        made = click.command(cls=Command, help=text, only_in_config=only_in_config, **more)(function)
        arguments = [each.metavar or each.name for each in made.params if isinstance(each, click.Argument)]
        if arguments and "MODEL" in arguments[0].upper():
            made.params.append(MODEL_OPTION)
        made.params += COMMON if letter_v else [COMMON[0], _verbose_option(" /-q", "--verbose/--quiet")]
        return made

    return decorate
