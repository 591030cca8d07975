"""Tables of numbers with a label in each row, as spreadsheets and pandas write them."""

import csv
import io
import re
from array import array
from collections import Counter
from itertools import chain, islice
from math import isfinite

from .csv_quoting import unquoted
from .errors import FAILED, USAGE, AppError, FormatError
from .printing import many, note, shortened

LABEL_NAMES = ("label", "class", "target", "y")
INDEX_NAMES = ("", "Unnamed: 0", "Unnamed: 0.1")  # of the index that pandas writes, and reads again
MISSING = ("", "na", "n/a", "nan", "null", "none", "inf", "infinity")  # stand for numbers


def read_table(stream, name, separators, *, header=None, label_col=None, n_features=None, names=None):
    """Read a table line by line, with the separator that occurs most often in its first line.

    Parameters
    ----------
    stream, name, separators : binary file, str, str
        The table, its name in messages, and the characters that may separate its cells.
    header : bool, optional
        Whether line 1 names the columns. By default it does if it has a usual name in place of the label,
        the names of a model, no numbers, or pandas' 0, 1, 2 and so on.
    label_col : str, optional
        The column of the labels. By default the last one.
    n_features, names : optional
        Number and names of a model's columns. A table of this width has no labels; other names are refused.

    Returns
    -------
    X, y : array and array or None
    names : list of str
        Names of the columns of X, from the header; empty without a header.
    label_name : str or None
    """
    import numpy as np

    lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    head = [*islice(lines, 1)]
    while head and not head[-1].strip() and (line := next(lines, "")):
        head.append(line)
    separator = max(separators, key="".join(head).count)
    reader = csv.reader(chain(head, lines), delimiter=separator, skipinitialspace=True)
    rows = filter(None, reader)

    def fault(what, exit_code=FAILED, kind=AppError):
        return kind(f"{name}, line {reader.line_num:,}: {what}", exit_code)

    if not (first := next(rows, [])):
        return np.empty((0, 1)), None, [], None
    top, guessed = [unquoted(cell.strip()) for cell in first], header is label_col is None
    header, places, label = _columns(top, fault, header, label_col, n_features, names)
    own, label_name = [top[k] for k in places], None if label is None else top[label]
    values, labels, index = array("d"), [], [k for k in range(places[0]) if k != label]
    for cells in rows if header else chain([first], rows):
        if len(cells) != len(top):
            raise fault(f"{len(cells)} columns, not {len(top)}; complete the row, or leave it out")
        if index and not all(cells[k].strip().isdecimal() for k in index):
            raise fault("column 1 has no name, and is not an index; give it a name, or leave it out")
        if label is not None:
            labels.append(unquoted(cells[label].strip()))
            if labels[-1].lower() in ("", "nan"):
                raise fault("no label; fill it in, or leave the row out")
            if header and guessed and labels[-1] == label_name:
                raise fault(f"the label {label_name!r} is in line 1 too; give --header or --no-header")
        cells = [cells[k] for k in places]
        try:
            numbers = [*map(float, cells)]
            fine = isfinite(sum(numbers)) and (text := "".join(cells)).isascii() and "_" not in text
        except ValueError:
            fine = False
        if not fine and (bad := [k for k, cell in enumerate(cells) if not _is_number(cell)]):
            error = fault(f"column {places[bad[0]] + 1} is not a number")
            next_cells = [row[places[bad[0]]] for row in islice(rows, 5) if len(row) == len(top)]
            knows_label = label_col is not None or (label_name or "").lower() in LABEL_NAMES
            may_be_label = None if knows_label else header and own[bad[0]]
            advice = _advice([cells[bad[0]].strip(), *next_cells], may_be_label)
            if label is None and bad[0] == len(cells) - 1:
                advice = f"the model has {many(n_features, 'column')}; only a label may follow"
            advice += "; if line 1 has names, give --header" * (not (values or header) and guessed)
            error.message += f"; {advice}"
            raise error
        values.extend(numbers)
    if index:
        note(f"{name}: the first column has no name; it is ignored as an index")
    if header and guessed and not all(map(_is_column_name, own)):
        note(f"{name}: line 1 is taken as the names of the columns; if it is data, give --no-header")
    kinds = {*labels}
    if guessed and not header and len(labels) > 2 * len(kinds) and labels.count(labels[0]) == 1:
        note(f"{name}: only line 1 has the label {shortened(labels[0])!r}; if that is a name, give --header")
    kind = float if all(map(_is_number, kinds)) else str
    y = None if label is None else np.array(labels, kind)
    return np.array(values).reshape(-1, len(places)), y, own if header else [], label_name


def _columns(top, fault, header, label_col, n_features, model_names):
    """Return whether the first line is a header, the columns of the numbers, and the label's (or None)."""
    if label_col is not None and header is False:
        raise AppError("--label-col needs a header; leave out --no-header", USAGE)
    start = next((k for k, each in enumerate(top[:-1]) if each not in INDEX_NAMES), len(top) - 1)
    if header is None:
        header = label_col is not None or _is_header(top[start:], n_features, model_names)
    start *= header
    label = None if len(top) == n_features else len(top) - 1
    if header:
        label = _place_of_label(top, start, fault, label_col, n_features, model_names)
    places = [k for k in range(start, len(top)) if k != label]
    if not places:
        raise fault("only one column; give columns of numbers and then the label", kind=FormatError)
    if n_features not in (None, len(places)):
        also = " and a label" * (label is not None)
        raise fault(f"{many(len(places), 'column')}{also}, but the model has {n_features:,}")
    for k, wanted in zip(places, model_names or (), strict=False):
        if header and top[k] != wanted:
            told = f"column {shortened(top[k])!r} stands where the model has {shortened(wanted)!r}"
            raise fault(f"{told}; give the same columns in the same order, the label last or by --label-col")
    return header, places, label


def _is_header(names, n_features, model_names):
    """Tell whether cells name columns; names from pandas may be 0, 1, 2 and so on."""
    labelled = len(names) != n_features
    others = names[:-1] if labelled else names
    if model_names and others == model_names:
        return True
    plain = [each for each in others if _is_column_name(each)]  # beside them Na may be sodium
    digits = all(each[0] in "0123456789+-." for each in plain)
    if len(plain) * 2 > len(others) and not digits and not any(map(_is_number, others)):
        return True
    last, count = names[-1].lower(), [*map(str, range(len(names)))]
    counted = others == count[: len(others)]
    if counted and len(others) > 2 and (names == count or not _is_number(last)):
        return True
    return labelled and last in LABEL_NAMES and (last != "y" or counted)


def _place_of_label(top, start, fault, label_col, n_features, model_names):
    """Return which column of a header has the labels, or None."""
    names = top[start:]
    if twice := [each for each, count in Counter(names).items() if count > 1]:
        raise fault(f"two columns are called {shortened(twice[0])!r}; rename one of them")
    if label_col is not None:
        if label_col in names:
            return top.index(label_col, start)
        there = shortened(", ".join(names), 80)
        raise fault(f"no column {label_col!r} among {there}; choose one with --label-col", USAGE)
    lowered = [each.lower() for each in names]
    known = {*LABEL_NAMES} - ({"y"} if "x" in lowered else set())  # x and y are coordinates
    if len(names) == n_features and (names == model_names or lowered[-1] not in known):
        return None
    if lowered[-1] not in LABEL_NAMES and (early := [k for k, each in enumerate(lowered) if each in known]):
        told = f"{names[early[0]]!r} looks like the label column, but {shortened(names[-1])!r} is the last"
        raise fault(f"{told}; name the label column with --label-col")
    return len(top) - 1


def _is_column_name(cell):
    """Tell whether a cell may name a column: it has letters, and no number could stand in its place."""
    return cell.lower().lstrip("+-") not in MISSING and any(map(str.isalpha, cell)) and not _is_number(cell)


def _is_number(cell):
    """Tell whether a cell is a number; some that Python accepts, such as 1_000, are not."""
    try:
        return isfinite(float(cell)) and cell.strip().isascii() and "_" not in cell
    except ValueError:
        return False


def _advice(cells, name):
    """Return what to do about a cell that is not a number, given the next cells and the name of its column.

    The name is None if the column cannot have the labels.
    """
    cell, *others = cells
    if re.fullmatch(r"[\d.+-]*[,;][\d,;.+-]*", cell):
        return "write decimal points, not commas"
    is_word = re.search(r"[^\W\d_]{2}", cell) and cell[0].isalpha() and _is_column_name(cell)
    if cell.count(" ") > 1 and re.search(r"[^\W\d_]{2}", cell):
        return "for texts, use fastsvm-sentiment train"
    if any(map(_is_number, others)) or not (others or is_word):
        return "fill it in, or leave the row out"
    told = "leave the column out, or turn its words into numbers"
    do = f"give --label-col {shortened(name)!r}" if name else "move it to the end"
    return told if name is None else f"if it is the label, {do}; otherwise {told}"
