"""Each study, small and without the documents' data: whole, and drawn again from its runs alone."""

import csv
import json
from importlib import resources

import pytest
from click.testing import CliRunner

from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.commands.study_commands import STUDIES
from fastsvm_apps.studies.report.verdicts import claims_of


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("study", STUDIES)
def test_a_quick_study_judges_all_claims_and_its_runs_are_enough(study, tmp_path):
    def run(*args):
        done = CliRunner().invoke(main, [study, *map(str, args)])
        assert (done.exit_code, done.stderr) == (0, ""), done.output

    run("--quick", "-o", tmp_path / "out")
    claims = rows_of(tmp_path / "out" / "claims.csv")
    assert [claim["name"] for claim in claims] == [claim.name for claim in claims_of(study)]
    for claim, found in zip(claims_of(study), claims, strict=True):
        if claim.data:  # the documents' data are not here
            assert found["verdict"] == "cannot be tested", claim.name
    assert {"held", "undecided", "refuted"} & {claim["verdict"] for claim in claims}
    record = json.loads((tmp_path / "out" / "report.json").read_text())
    assert record["figures"]
    for table in record["tables"]:  # intervals end where what they are of does
        columns = dict(zip(table["header"], zip(*table["rows"], strict=True), strict=True))
        for name in (name.removesuffix(", from") for name in columns if name.endswith(", from")):
            interval = columns[f"{name}, from"], columns[name], columns[f"{name}, to"]
            for low, value, high in zip(*interval, strict=True):
                assert (-1 if "minus" in name else 0) <= low <= value <= high <= 1, (table["file"], name)
    run("--from", tmp_path / "out" / "runs.csv", "-o", tmp_path / "again")
    assert rows_of(tmp_path / "again" / "claims.csv") == claims


@pytest.mark.parametrize("name", ["claims.csv", "captions.csv"])
def test_each_line_of_words_has_all_its_fields(name):
    rows = rows_of(resources.files("fastsvm_apps.studies.documents").joinpath(name))
    for row in rows:
        assert None not in row, row
        assert None not in row.values(), row
    assert len({(row["study"], row["name"]) for row in rows}) == len(rows)
