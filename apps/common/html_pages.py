"""HTML pages from templates: each is one file that loads nothing, or is served with its pictures."""

import os
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources

from .files import replace_file
from .printing import many, printable

_OPTION = re.compile(r"\(?--[a-z-]+\)?")
ROOM = 60  # characters of a long word that are shown


def render(package: str, name: str, *, served: bool = False, **fields: object) -> str:
    """Return a page.

    Parameters
    ----------
    package : str
        The package whose folder has the template; it may use the templates of `common`.
    name : str
        The template. It extends page.html.
    served : bool, default=False
        Whether the page may load pictures from its own server, and send requests to it.
    **fields
        The variables of the template. Jinja2 escapes them; control characters become visible.
    """
    from markupsafe import Markup

    style, script = (Markup(f"\n{_template_source(asset)}") for asset in ("style.css", "script.js"))
    hashes = {"style_hash": _policy_hash(style), "script_hash": _policy_hash(script)}
    template = _template_environment(package).get_template(name)
    return template.render(style=style, script=script, served=served, **hashes, **fields)


def macros(package: str, name: str, **shared: object):
    """Return the macros of a template, as for `render`; besides their arguments they see what they share."""
    return _template_environment(package).get_template(name).make_module(shared)


def write_page(path: str | os.PathLike[str], content: str) -> None:
    """Write a page in one go."""
    replace_file(path, content.encode())


def data_uri(content: bytes, media_type: str):
    """Return a URI that is the content itself, as markup."""
    from markupsafe import Markup

    return Markup(f"data:{media_type};base64,{b64encode(content).decode()}")


def shorten(word: str, room: int = ROOM) -> str:
    """Return a word, or the beginning of a long one."""
    return word if len(word) <= room else f"{word[: room - 1]}…"


def whole_options(text: str):
    """Return a text as markup in which no line ends within the name of an option."""
    from markupsafe import Markup, escape

    return Markup(_OPTION.sub(r'<span class="whole">\g<0></span>', str(escape(printable(text)))))


@cache
def _template_environment(package: str):
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader(package, ""), PackageLoader(__package__, "templates")])
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_with_visible_controls,
    )
    environment.filters |= {"shorten": shorten, "thousands": "{:,}".format}
    environment.filters["whole_options"] = whole_options
    environment.globals |= {"many": many}
    return environment


def _with_visible_controls(value: object) -> object:
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _template_source(name: str) -> str:
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _policy_hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
