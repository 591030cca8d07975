"""Each study, small and without the documents' data: whole, and drawn again from its runs alone."""

import csv
import json

import pytest
from click.testing import CliRunner

from fastsvm_apps.studies.cli import main
from fastsvm_apps.studies.commands.study_commands import STUDIES
from fastsvm_apps.studies.report.verdicts import claims_of


def run(*args):
    done = CliRunner().invoke(main, [*map(str, args)])
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return done.stdout


def claims_in(folder):
    with open(folder / "claims.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("study", STUDIES)
def test_a_quick_study_judges_all_claims_and_its_runs_are_enough(study, tmp_path):
    run(study, "--quick", "-o", tmp_path / "out")
    claims = claims_in(tmp_path / "out")
    assert [claim["name"] for claim in claims] == [claim.name for claim in claims_of(study)]
    for claim, found in zip(claims_of(study), claims, strict=True):
        if claim.data:  # the documents' data are not here
            assert found["verdict"] == "cannot be tested", claim.name
    assert {"held", "undecided", "refuted"} & {claim["verdict"] for claim in claims}
    record = json.loads((tmp_path / "out" / "report.json").read_text())
    assert record["figures"]
    run(study, "--from", tmp_path / "out" / "runs.csv", "-o", tmp_path / "again")
    assert claims_in(tmp_path / "again") == claims
