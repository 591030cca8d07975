"""Options from a file and from the environment."""

import re

import pytest

from refusal import assert_refused


@pytest.mark.parametrize("name", ["FASTSVM_MAX_LINE_KIB", "FASTSVM_SERVE_PORT"])
def test_variables_are_limits_and_nothing_else(run, monkeypatch, name):
    monkeypatch.setenv(name, "10")
    assert_refused(run("train", "a.txt"), 2, f"unknown environment variable {name}; the limits are ")


def test_keys_with_dashes(run, trained, tmp_path):
    corpus = tmp_path / "a.csv"
    corpus.write_text("stars,body\n" + "5,good\n1,bad\n" * 10)
    config = tmp_path / "a.toml"
    config.write_text('text-col = "body"\nlabel_col = "stars"\nas-seed = 3\n')
    assert run("train", corpus, "--config", config).exit_code == 2
    config.write_text('text-col = "body"\nlabel_col = "stars"\nseed = 3\n')
    assert trained(corpus, "--config", config, stderr=".*too good\n")["labels"] == ["1", "5"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kk = 3", "unknown key kk; 'train' knows alpha,"),
        ("corpus = 'a.txt'", "unknown key corpus"),
        ("[train]\nk = 3", "unknown key train"),
        ("alpha = 0", "--alpha"),
        ("k = [1, 2]", "--k"),
        ("epochs = true", "epochs in --config: True is not a whole number"),
        ('weighting = "bm25"', "weighting in --config: 'bm25' is not one of"),
        ("min_df = 0", "min-df in --config: 0 is not a whole number from 1 to 2147483647"),
        ("epochs = 100000000000000000000", "is not a whole number from 1 to 2147483647"),
        ("k = ", "not a TOML file"),
        ('report = "a\\u0000b.html"', "--report: a path cannot have a NUL character"),
        (f"epochs = {'9' * 5000}", "not a TOML file: Exceeds the limit (4300 digits)"),
        (f"seed{'.a' * 900} = 1", "seed is a table; give it a value"),
        (f"seed{'.a' * 5000} = 1", "give "),  # Python 3.14 refuses a key of 1000 parts
        (f"seed = {'[' * 5000}", "nested too deeply"),
    ],
)
def test_bad_config(run, write, texts, tmp_path, content, message):
    config = tmp_path / "a.toml"
    config.write_text(content)
    assert_refused(run("train", write(texts(50)), "--config", config), 2, re.escape(message))
