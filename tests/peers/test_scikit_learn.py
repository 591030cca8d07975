"""scikit-learn's own tests of its classes, with the drop-in classes in their place."""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from expected_failures import EXPECTED

pytestmark = pytest.mark.slow

MODULES = [
    *("svm.tests.test_svm", "svm.tests.test_sparse", "linear_model.tests.test_sgd"),
    *("linear_model.tests.test_logistic", "linear_model.tests.test_perceptron"),
    *("feature_extraction.tests.test_text", "feature_selection.tests.test_feature_select"),
    *("feature_selection.tests.test_from_model", "tests.test_kernel_approximation", "tests.test_calibration"),
    *("tests.test_multiclass", "tests.test_multioutput", "tests.test_pipeline"),
    *("model_selection.tests.test_search", "model_selection.tests.test_validation"),
    *("ensemble.tests.test_voting", "ensemble.tests.test_stacking", "ensemble.tests.test_bagging"),
]
SHARE = 0.9  # of the cases that make a drop-in object and need no fallback, those that pass
LIMIT = 500  # seconds for a module; the longest takes 60 where nothing else runs


@cache
def cases(module):
    """What happened to each case: (outcome, objects made, fallbacks), by name."""
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "peer_recorder", "-p", "no:cacheprovider"]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.jsonl")
        environment = {**os.environ, "PEER_RECORD": str(record), "PYTHONPATH": paths, "PYTEST_ADDOPTS": ""}
        found = subprocess.run(
            [*command, "-c", os.devnull, "--pyargs", f"sklearn.{module}"],
            env=environment, cwd=folder, capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        assert found.returncode in (0, 1), found.stdout[-2000:] + found.stderr[-2000:]
        return {name: rest for name, *rest in map(json.loads, record.read_text().splitlines())}


@pytest.mark.parametrize("module", MODULES)
def test_every_failure_is_named_with_its_reason(module):
    failed = [name for name, (outcome, made, _) in cases(module).items() if outcome == "failed" and made]
    assert sorted({name.partition("[")[0] for name in failed} - EXPECTED.keys()) == []


def test_most_of_the_cases_pass_without_a_fallback():
    of_all = [case for module in MODULES for case in cases(module).values()]
    ours = Counter(outcome for outcome, made, fallbacks in of_all if made and not fallbacks)
    print(dict(ours), "and with a fallback", sum(1 for *_, fallbacks in of_all if fallbacks))
    assert ours["passed"] >= SHARE * (ours["passed"] + ours["failed"])
