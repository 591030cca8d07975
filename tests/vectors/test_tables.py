"""Tables of numbers: what is a header, a label and a number, at every door that reads FILE."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import fastsvm
from fastsvm_apps.studies.cli import main as studies
from fastsvm_apps.vectors.cli import main

TRAINED = "a,b,label\n1,0,x\n-1,0,y\n2,1,x\n-2,1,y\n"
WORDS = {"file": "t.csv", "model": "m.safetensors", "target": "out.npz"}


def doors():
    """Yield each command that reads FILE: its app, its line, and its options."""
    for app, names in ((main, main.list_commands(None)), (studies, ["compare"])):
        for name in names:
            params = app.get_command(click.Context(app), name).params
            places = [param.name for param in params if isinstance(param, click.Argument)]
            if "file" in places:
                yield app, " ".join([name, *map(WORDS.get, places)]), {param.opts[0] for param in params}


@pytest.fixture
def run(tmp_path, monkeypatch):
    def run(line, content=None, code=0, app=main):
        if content is not None:
            Path(line.split()[1] if line.startswith("fit") else "t.csv").write_text(content)
        done = CliRunner().invoke(app, line.split(), prog_name="app")
        assert done.exit_code == code, (line, done.output, done.exception)
        run.told = done.stderr
        return done.stderr if code else done.stdout

    monkeypatch.chdir(tmp_path)
    run("fit m.csv -o m.safetensors", TRAINED)
    return run


ODD = ["", "NA", "nan", "inf", "?", "2 kg", "O1", "-", "0x10", "1_000", "١٢"]
BAD = [*((f"1,{cell},x\n2,3,y\n4,5,x\n", "line 1: column 2 is not a number; fill it in") for cell in ODD)]
BAD += [(f"1,2,x\n{cell},3,y\n", "line 2: column 1 is not a number; fill it in") for cell in ODD]
BAD += [(row, "is not a number; write decimal points") for row in ('1,"1,5",x\n', "1;2,5;x\n", "1,5;2,5;a\n")]
BAD += [(f"1,2,{label}\n3,4,a\n", "line 1: no label") for label in ("", " ", "nan")]
BAD += [
    ("label,a,b\n1,2,3\n", "line 1: 'label' looks like the label column, but 'b' is the last; name"),
    (
        "good film,1,a\n",
        "line 1: column 1 is not a number; if it is the label, move it to the end; otherwise",
    ),
    (
        "a,b,c\n1,red,x\n",
        "line 2: column 2 is not a number; if it is the label, give --label-col 'b'; otherwise",
    ),
    (
        "a,b,label\n1,red,x\n",
        "line 2: column 2 is not a number; leave the column out, or turn its words into",
    ),
    (
        "a,b,label\nw1,2,x\nw2,3,y\n",
        "line 2: column 1 is not a number; leave the column out, or turn its words into",
    ),
    ("a,b,c\n1,red,x\n2,4,y\n", "line 2: column 2 is not a number; fill it in"),
    ("a,b\nI like it,x\n", "line 2: column 1 is not a number; for texts, use fastsvm-sentiment train"),
    (",a,b,label\n0.5,1,2,x\n", "line 2: column 1 has no name, and is not an index"),
    ("a,a,label\n1,2,x\n", "line 1: two columns are called 'a'"),
    ("a,b,x\n2,3,x\n", "line 2: the label 'x' is in line 1 too; give --header or --no-header"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_a_bad_table_has_the_same_error_at_every_door(run, content, message):
    found = [run(line, content, 1, app) for app, line, _ in doors()]
    assert len(found) >= 7
    assert {*found} == {found[0]}
    assert message in found[0]
    assert all({"--header", "--label-col"} <= options for *_, options in doors())


HEADERS = ["p,q,r", "x,y,label", "y,a,label", "target,a,class", "class,a,target", "X,Y,species", "é,b,c"]
HEADERS += ["0,1,label", "10,20,Target", "0,1,y", "1st,q,class"]
GOOD = [f"{header}\n0,1,a\n1,0,b\n0,0,a\n1,1,b\n" for header in HEADERS]
for label in ("a", " a", "a ", ' "a"', "\xa0a", "a\r"):
    rows = f"1,2,{label}\n3,4,a\n0,1,b\n1,1,a\n"
    GOOD += [rows, f"f,g,h\n{rows}", rows.replace(",", ";"), f"f,g,h\n{rows}".replace(",", "\t")]
    GOOD += [f"\n\nf,g,h\n{rows}".replace(",", ";")]


@pytest.mark.parametrize("content", GOOD)
def test_headers_are_no_rows_and_labels_are_stripped(run, content):
    record = json.loads(run("fit g.csv --json", content))
    assert (record["rows"], record["columns"], record["labels"]) == (4, 2, ["a", "b"])
    run("convert g.csv t.csv")  # which keeps the names
    assert json.loads(run("predict g.safetensors t.csv --json"))["rows"] == 4


PREDICTED = [
    *((f"{top}-1,9{end}\n", "y") for top, end in [("a,b,label\n", ",y"), ("a,b\n", ""), ("", ",y")]),
    *((f"{name},a,b\n7,-1,9\n", "y") for name in ("", "Unnamed: 0")),
    (",Unnamed: 0,a,b\n7,7,-1,9\n", "y"),
    ("b,a,label\n9,-1,y\n", "line 1: column 'b' stands where the model has 'a'; give the same columns in"),
    *((f"{row}\n1,2\n3,4\n", "line 1: column 1 is not a number") for row in ("NA,NA", ",")),
    ("a,label\n1,x\n", "line 1: 1 column and a label, but the model has 2"),
    ("1,x\n", "line 1: column 2 is not a number; the model has 2 columns"),
]


@pytest.mark.parametrize(("content", "found"), PREDICTED)
def test_a_model_knows_its_columns(run, content, found):
    told = run("predict m.safetensors t.csv", content, int("line" in found))
    assert found in told if "line" in found else told == f"{found}\n"
    assert [*fastsvm.load_model("m.safetensors").feature_names_in_] == ["a", "b"]


def test_options_and_other_files(run):
    assert "3 rows" in run("fit t.csv --header -o n.safetensors", "1,2,5\n2,3,1\n4,5,2\n0,1,2\n")
    assert "2 rows" in run("fit t.csv --no-header -o n.safetensors", "0,1,label\n2,3,x\n")
    assert "2 rows" in run("fit t.csv -o n.safetensors", "0,1,2,kind\n2,3,1,x\n0,1,1,y\n")
    assert "2 rows" in run("fit t.csv -o n.safetensors", "K,Na,Mg,kind\n0,1,2,x\n2,3,1,y\n")
    run("fit t.csv -o n.safetensors", "9,8,kind\n0,1,x\n2,3,y\n0,1,x\n2,3,y\n1,1,x\n2,4,y\n")
    assert "only line 1 has the label 'kind'; if that is a name, give --header" in run.told
    assert "3 rows, 3 columns" in run("fit t.csv -o n.safetensors", "0,1,2,0\n9,9,1,1\n9,1,1,1\n")
    run("convert t.csv t.svm")  # whose columns count from 1, where those of a table have no numbers
    assert json.loads(run("predict n.safetensors t.svm --json"))["right"] == 3
    assert json.loads(run("predict n.safetensors t.csv --json", "0,1,2,0\n9,9,1,1\n9,9,1,?\n"))["right"] == 2
    assert "labels unknown to the model: ?; such rows count as mistakes" in run.told
    run("convert t.csv o.csv --label-col kind", 'kind,p,q\n"red, dark",1,2\nblue,0,1\n')
    assert Path("o.csv").read_text() == 'p,q,kind\n1.0,2.0,"red, dark"\n0.0,1.0,blue\n'
    assert "no column 'sort' among kind, p, q; choose" in run("cv t.csv --label-col sort", None, 2)
    assert "leave out --no-header" in run("fit t.csv --label-col kind --no-header", None, 2)
    assert "a: --label-col and --header need a table" in run("fit a --label-col kind", "1 1:1\n", 2)
    assert "line 1: the label is not a finite number; it looks like a table" in run("fit iris", "5,a\n", 1)
    assert "tables may have words; give --format csv" in run("fit w", "setosa 1:2\n", 1)
    assert "the label 1.5 of row 1 is not a whole number" in run("fit t.csv", "1,2,1.5\n2,3,2.5\n", 1)
