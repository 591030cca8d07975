"""Commands that were removed: one line with the successor."""

import pytest


@pytest.mark.parametrize(
    ("command", "successor"),
    [
        ("tune", "evaluate"),
        ("compare", "evaluate"),
        ("describe", "inspect"),
        ("suspects", "inspect"),
        ("words", "explain"),
    ],
)
def test_a_removed_command_names_its_successor(run, command, successor):
    result = run(command, "a.csv", "--k", 5)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith(f"error: fastsvm-sentiment {command} is gone: ")
    assert successor in result.stderr


def test_a_removed_recipe_names_its_successor(run):
    result = run("train", "a.csv", "--recipe", "article-literal")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert "train --recipe article-literal is gone: " in result.stderr


@pytest.mark.parametrize(
    ("option", "successor"),
    [
        ("--min-df=3", "give --config FILE with min-df = 3"),
        ("--no-refit", "give --config FILE with refit = false"),
        ("--sep=;", "the separator is detected"),
        ("--max-line-mib=3", "set the environment variable FASTSVM_MAX_LINE_MIB"),
    ],
)
def test_a_removed_option_names_its_successor(run, option, successor):
    result = run("train", "a.csv", option)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    name = option.partition("=")[0]
    assert result.stderr.startswith(f"error: fastsvm-sentiment train {name} is gone: {successor}")


def test_a_removed_option_in_a_config_file_names_its_successor(run):
    result = run("train", "a.csv", config={"sep": ";"})
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "options.toml: fastsvm-sentiment train --sep is gone: the separator is detected" in result.stderr
