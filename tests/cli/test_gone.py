"""What was removed: one line with the successor."""

import pytest


@pytest.mark.parametrize(
    ("line", "gone", "successor"),
    [
        ("tune a.csv --k 5", "tune", "train searches already; evaluate A B compares"),
        ("compare a.csv", "compare", "evaluate A B compares two models"),
        ("describe a.csv", "describe", "inspect CORPUS shows the same"),
        ("suspects a.csv", "suspects", "inspect CORPUS lists"),
        ("words m.safetensors", "words", "explain MODEL, without a text,"),
        ("train a.csv --recipe article-literal", "train --recipe article-literal", "--recipe article is"),
        ("train a.csv --min-df=3", "train --min-df", "give --config FILE with min-df = 3"),
        ("train a.csv --no-refit", "train --no-refit", "give --config FILE with refit = false"),
        ("train a.csv --sep=;", "train --sep", "the separator is detected"),
        ("train a.csv --max-line-mib=3", "train --max-line-mib", "set the environment variable FASTSVM_MAX"),
    ],
)
def test_what_was_removed_names_its_successor(run, line, gone, successor):
    result = run(*line.split())
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"error: fastsvm-sentiment {gone} is gone: {successor}")


def test_a_removed_option_in_a_config_file_names_its_successor(run):
    result = run("train", "a.csv", config={"sep": ";"})
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "options.toml: fastsvm-sentiment train --sep is gone: the separator is detected" in result.stderr
