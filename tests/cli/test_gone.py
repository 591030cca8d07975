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
