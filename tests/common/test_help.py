"""The help of every command, and what programs answer to the words of others."""

from importlib import import_module

import pytest
from click.testing import CliRunner

from fastsvm_apps.common.guesses import COMMANDS, OPTIONS

PROGRAMS = {
    "fastsvm": "vectors",
    "fastsvm-sentiment": "sentiment",
    "fastsvm-cells": "cells",
    "fastsvm-studies": "studies",
}


def main_of(program):
    return import_module(f"fastsvm_apps.{PROGRAMS[program]}.cli").main


def said(line):
    program, *words = line.split()
    done = CliRunner().invoke(main_of(program), words, prog_name=program, env={"COLUMNS": "80"})
    return " ".join(done.output.split("\n")) if done.exit_code else done.output


@pytest.mark.parametrize("program", PROGRAMS)
def test_summaries_fit_and_examples_come_second(program):
    assert "..." not in said(f"{program} -h").rpartition("Commands:")[2]
    for name in main_of(program).list_commands(None):
        text = said(f"{program} help {name}")
        assert text == said(f"{program} {name} -h")
        _, summary, examples, *_ = text.split("\n\n")
        assert summary.count("\n") == 0, name
        assert examples.startswith("  Examples:\n"), name
        assert max(map(len, examples.split("\n"))) <= 80, name


def test_the_table_of_guesses_names_what_there_is():
    for told in COMMANDS.values():
        for line in told.split(", "):
            program, *words = line.split()
            assert not words or words[0] in main_of(program).list_commands(None), line
    helps = "".join(said(f"{main} {each} -h") for main in PROGRAMS for each in main_of(main).commands)
    for words in OPTIONS:
        assert words.split()[0].removeprefix("--") in helps


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("fastsvm train x", "Did you mean fastsvm fit? For texts: fastsvm-sentiment train. For cells: "),
        ("fastsvm sentiment train", "Did you mean fastsvm-sentiment?"),
        ("fastsvm-sentiment classify x", "Did you mean fastsvm-sentiment predict?"),
        ("fastsvm-cells TEST x", "Did you mean fastsvm-cells evaluate?"),
        ("fastsvm explain x", "Did you mean fastsvm-sentiment explain or fastsvm-cells explain?"),
        ("fastsvm-sentiment train x --test-size 0.3", "Did you mean --holdout?"),
        ("fastsvm-sentiment train x -C 1", "Did you mean --alpha = 1 / (C n) for n texts or rows?"),
        ("fastsvm fit x --cv 5", "Did you mean --folds?"),
        ("fastsvm-sentiment train x --text Body", "The column of texts is --text-col; for one text: echo"),
        ("fastsvm fit x --n-jobs 5", "The number of cores is chosen automatically."),
        (
            "fastsvm-sentiment predict good",
            "good: no such file; for a text: echo good | fastsvm-sentiment predict",
        ),
        ("fastsvm-sentiment predict -m no.safetensors x.txt", "no.safetensors: No such file"),
        ("fastsvm-cells evaluate x --model no.safetensors", "no.safetensors: No such file"),
        ("fastsvm-cells classify no.safetensors .", "no.safetensors: No such file"),
    ],
)
def test_a_guess_is_answered_with_the_next_step(line, answer):
    assert answer in said(line)
