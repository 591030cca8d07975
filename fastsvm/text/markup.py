"""Texts without HTML's tags and entities."""

import re
from html import unescape

# Tags by their names: anything else in angle brackets may be a word, such as <user>.
_NAMES = (
    "a|abbr|article|aside|b|big|blockquote|body|br|center|cite|col|dd|del|dfn|div|dl|dt|em|fieldset|figure|font|"
    "footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|li|meta|nav|ol|p|pre|q|s|samp|section|"
    "small|span|strike|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|wbr"
)
_TAG = re.compile(
    rf"<(?:/?(?:{_NAMES})(?:\s[^<>]*)?/?>|!--.*?-->|(script|style)\b.*?</\1\s*>)", re.IGNORECASE | re.DOTALL
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def lower_without_markup(text):
    """Lower-case a text, replace HTML entities by their characters, and tags by blanks.

    For use as the `preprocessor` of `BagOfWords` or `Bag`; model files store it by name. A tag becomes as
    many blanks as it has characters. Tags are recognised by their names; comments, scripts and style sheets
    are removed with their content.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text, lower-case and without markup.

    Examples
    --------
    >>> lower_without_markup("Fish &amp; chips<br>caf&eacute; <user>")
    'fish & chips    café <user>'
    """
    if "&" in text:
        text = _ENTITY.sub(lambda match: unescape(match[0]), text)
    if "<" in text:
        text = _TAG.sub(lambda match: " " * len(match[0]), text)
    return text.lower()


def has_markup(text):
    """Tell whether a text has a tag or an entity that `lower_without_markup` replaces.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    bool
        Whether `lower_without_markup` replaces something.
    """
    return ("<" in text and _TAG.search(text) is not None) or (
        "&" in text and _ENTITY.search(text) is not None
    )
