"""The label fields of records, and what separates several labels in one field."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

LabelField = str | tuple[str, ...]  # a string, perhaps of several labels, or a list of labels

SEPARATORS = ",;|"  # that may stand between labels
SEVERAL = "several labels, where one is expected"
KNOWN_SHARE = 0.9  # of the labels in fields with several must occur in other fields, too


def split_fields(
    fields: Sequence[LabelField], separator: str | None, usual: str = ""
) -> tuple[list[LabelField], str | None]:
    """Return the labels in the fields of a corpus, and what separates them.

    Parameters
    ----------
    fields : sequence of str or tuple of str
    separator : str or None
        None detects it. With an empty one, every string is one label.
    usual : str
        The separator of a model's training, which is taken instead of detecting one if a field has it, or if
        none is detected.

    Returns
    -------
    list of str or tuple of str
        Tuples if a text may have several labels.
    str or None
        An empty string if a text has one label; None if the fields are lists, which need no separator.
    """
    if separator is None:
        lists = {len(field) for field in fields if not isinstance(field, str)} - {1}
        strings = [field for field in fields if isinstance(field, str)]
        is_usual = usual and any(usual in field for field in strings)
        separator = None if lists else usual if is_usual else separator_of(strings) or usual
    if separator == "":
        return [field if isinstance(field, str) or len(field) != 1 else field[0] for field in fields], ""
    split = [parts_of(field, separator or "") if isinstance(field, str) else field for field in fields]
    return split, separator


def separator_of(fields: Iterable[str]) -> str:
    """Return the separator of labels in the fields of a column, or an empty string if each is one label.

    ``fear,joy`` is two labels if ``fear`` and ``joy`` occur as labels elsewhere, alone or beside others.
    ``Smith, John`` is one label if each field has a surname and a first name. So a separator must meet three
    conditions. There are fewer labels than different fields. Nearly all labels in fields with several occur
    in other fields, too. And the number of labels differs between fields, or most labels change their place.
    """
    counts = Counter(field for field in fields if field)
    found = {}
    for separator in SEPARATORS:
        parts = {field: parts_of(field, separator) for field in counts}
        joined = [field for field in counts if len(parts[field]) > 1]
        times = Counter(part for each in parts.values() for part in set(each))
        if not joined or len(times) >= len(counts):
            continue
        pairs = [(times[part] > 1, counts[field]) for field in joined for part in parts[field]]
        n_known = sum(n for is_known, n in pairs if is_known)
        if n_known >= KNOWN_SHARE * sum(n for _, n in pairs) and not _have_places(parts.values()):
            found[separator] = sum(counts[field] for field in joined)
    return max(found, key=found.__getitem__, default="")


def _have_places(fields: Collection[Sequence[str]]) -> bool:
    """Tell whether all fields have the same number of parts, and most parts are always at the same place."""
    if len({len(parts) for parts in fields}) > 1:
        return False
    places = {(part, place) for parts in fields for place, part in enumerate(parts)}
    n_places = Counter(part for part, _ in places)
    return 2 * sum(n > 1 for n in n_places.values()) < len(n_places)


def parts_of(field: str, separator: str) -> tuple[str, ...]:
    """Return the labels of a field; an empty separator leaves it whole."""
    parts = field.split(separator) if separator else [field]
    return tuple(part for part in map(str.strip, parts) if part)
