import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm_apps.common.csv_quoting import csv_writer, quoted, unquoted

FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t1", "\r1", "\n1", "=cmd|' /C calc'!A0", "＝1", "＠a"]
FORMULAS += ["-", "+", "-inf", "+.", "-1e"]
INSIDE = {"a;=1": "a;'=1", 'a;"=1"': 'a;\'"=1"', "a\n@b": "a\n'@b", "\t=1": "'\t'=1", "1;-2\n+a": "1;-2\n'+a"}
TEXTS = ["", "a", " =1", "a=1", "1=1", "'", "'a", "naïve", "a; -) b", "a\n\nb", "-1;2"]
NUMBERS = ["-0.5", "+1", "-1e-05", "1", "-.5", "+1.", "-1E+300"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_quoted(text):
    assert quoted(text) == f"'{text}"
    assert quoted(f"'{text}") == f"''{text}"  # or it would come back as the formula


@pytest.mark.parametrize(("text", "right"), INSIDE.items())
def test_formulas_behind_what_ends_a_cell_elsewhere(text, right):
    assert (quoted(text), unquoted(right)) == (right, text)


@pytest.mark.parametrize("value", [*TEXTS, *NUMBERS, -0.5, -3, None, float("-inf")])
def test_others_stay(value):
    assert quoted(value) is value


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.one_of(st.text(), st.text("=+-@'\t\r\n1.e;\"＝")))
def test_what_is_quoted_comes_back(text):
    assert unquoted(quoted(text)) == text
    assert not quoted(text).startswith(("=", "@", "\t", "\r"))


def test_rows():
    row = ["=1", -0.5, "-0.5", "a,b", None]
    file = io.StringIO()
    csv_writer(file)(row)
    assert next(csv.reader([file.getvalue()])) == ["'=1", "-0.5", "-0.5", "a,b", ""]
