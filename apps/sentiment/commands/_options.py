"""Options that several commands of this app share: the options in the table of settings, and some others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps

import click
from click.core import ParameterSource

from ...common import options
from ...common.paths import Reads
from ..checked_values import OneOf, WholeNumber
from ..data.record_formats import FORMATS
from ..data.text_source import COLUMNS, TextSource
from ..settings import CONFIG_ONLY, OPTIONS, SETTINGS, Setting, option_name

command = partial(options.command, "fastsvm-sentiment")
ONLY_IN_CONFIG = {name: setting.path for name, setting in CONFIG_ONLY.items()}
LABELLED = Reads(counts=lambda name: "/" in name)  # a folder of labels has files in folders


def number_option(help: str, least: int = 1):
    """Return the option for the number of rows to show."""
    return click.option("-n", "--number", type=click.IntRange(min=least), default=20, help=help)


def rows_shown(number: int, brief: int, full: bool) -> int:
    """Return how many rows to print: the number that was given, or by default a few unless `full`."""
    source = click.get_current_context().get_parameter_source("number")
    return min(number, brief) if source is ParameterSource.DEFAULT and not full else number


def setting_option(name: str, **other) -> Callable:
    """Return the option of a setting, perhaps with another `help` or `check`."""
    setting = SETTINGS[name]._replace(**other)
    names = option_name(name), name
    if setting.check is bool:
        return click.option(*names, is_flag=True, help=setting.help)
    shown = {"multiple": setting.repeated, "metavar": setting.metavar, "help": setting.help}
    default = None if name == "k" else setting.default
    return click.option(*names, type=setting.path or _option_type(name, setting), default=default, **shown)


def _option_type(name: str, setting: Setting) -> click.ParamType | None:
    """Return the type that checks an option. A word that stands for None is passed on unchanged."""
    check = setting.check
    if isinstance(check, OneOf):
        return click.Choice(check.names)
    if isinstance(check, WholeNumber):
        return click.IntRange(check.least, check.most)
    if check is str or setting.repeated:
        return None
    return options.Value(name, lambda word: word if (value := check(word)) is None else value)


def setting_options(title: str) -> Callable:
    """Return a decorator that adds the options of a section of the table."""
    return options.section(title, *map(setting_option, OPTIONS[title]))


def reading_options(
    formats: Sequence[str] = FORMATS,
    what: str = "CORPUS",
    told: str = "detected from the first lines",
    *,
    labelled: bool = True,
) -> list[Callable]:
    """Return the options for reading `what`: format, columns, separator, encoding; labels if `labelled`."""
    helps = {name: each.help.format(what=what, default=told) for name, each in OPTIONS["Input"].items()}
    checks = {"format": {"check": OneOf(*formats)}}
    names = [name for name in helps if labelled or not name.startswith("label_")]
    return [setting_option(name, help=helps[name], **checks.get(name, {})) for name in names]


def remembering_source(source: TextSource, about: dict) -> TextSource:
    """Return a source that knows the column names of a model's training, unless options name the columns."""
    origin = click.get_current_context().get_parameter_source
    names = {option: name for option, name in about.items() if isinstance(name, str)}
    usual = [option for option in names.keys() & COLUMNS if origin(option) is ParameterSource.DEFAULT]
    remembered = {COLUMNS[option]: names[option] for option in usual}
    return replace(source, remembered=remembered, of_files=names.get("format") == "folder")


def source_options(*, labelled: bool = True, **more):
    """Return a decorator that adds the options for reading; the command gets one `source`.

    The path of the source is the argument `corpus`; a command without this argument sets the path.
    """

    def decorate(command):
        @wraps(command)
        def with_source(format, text_col, encoding, label_col=None, label_sep=None, corpus="-", **others):
            source = TextSource(corpus, format, text_col, label_col, label_sep, encoding)
            return command(source=source, **others)

        return options.section("Input", *reading_options(labelled=labelled, **more))(with_source)

    return decorate
