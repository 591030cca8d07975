"""Every path of every command: what it reads and writes, and that no output replaces an input."""

import os
import re
from hashlib import sha256
from importlib import import_module

import click
import pytest
from click.testing import CliRunner

from fastsvm_apps.common.options import AS_OPTION
from fastsvm_apps.common.paths import FLAGS, FOLDER, KINDS, KNOWN, Reads, Writes

APPS = ("vectors", "sentiment", "cells", "studies")
MAINS = {app: import_module(f"fastsvm_apps.{app}.cli").main for app in APPS}
COMMANDS = [(main, each) for main in MAINS.values() for each in main.commands.values()]
NAMES = [f"{main.name} {each.name}" for main, each in COMMANDS]
every_command = pytest.mark.parametrize(("main", "command"), COMMANDS, ids=NAMES)
# Text that is no path.
WORDS = {"text_col", "label_col", "label_sep", "label", "class_weight", "host", "scheduler", "solvers"}
WORDS |= {"alpha", "model_as_option"}  # of compare: a list of numbers; -m MODEL, which becomes MODEL
PATHS = r"FILE|DIR|FOLDER|MODEL|CSV|CORPUS|IMAGE|PATH"
MODELS = b'xxxxxxxx{"__metadata__":{"fastsvm":', b"solver_type L2R_LR\n"
HEADS = b"a,b\n", b"<!DOCTYPE html>", b"[1]", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", *MODELS
INSIDE = {"images": "a/1.png", "labels": "1.xml"}  # of a folder that is read; of others a/1.txt


def paths_of(command, kind):
    """List the name, the type and the parameter of each path; what is only in --config has no parameter."""
    found = [(param.name, param.type, param) for param in command.params]
    found += [(name, role, None) for name, role in command.only_in_config.items()]
    return [each for each in found if isinstance(each[1], kind)]


def typed(param, value):
    return [value] if isinstance(param, click.Argument) else [max(param.opts, key=len), value]


def with_inputs(folder, command, victim=None):
    """Make the inputs of a command; return the words for them, and the file that is read of `victim`."""
    choices = [param for param in command.params if param.required and isinstance(param.type, click.Choice)]
    words, file = [word for param in choices for word in typed(param, param.type.choices[0])], None
    for name, role, param in paths_of(command, Reads):
        if name == victim or isinstance(param, click.Argument):
            path = inner = folder / f"{name}.in"
            if role.is_folder or name in ("corpus", "images", "labels", "arguments"):
                inner = path / INSIDE.get(name, "a/1.txt")
                inner.parent.mkdir(parents=True)
            inner.write_text("# x\n")
            words += typed(param, path)
            file = inner if name == victim else file
    return words, file


def sums(folder):
    return {path: sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


def refused(main, folder, command, words, output, path):
    """Run a command that must refuse an output before any work; return its line."""
    name, _, param = output
    others = [each for _, _, each in paths_of(command, Writes) if each not in (None, param) and each.required]
    words = [*words, *(word for each in others for word in typed(each, folder / "other"))]
    if param is None:
        config = folder / ("config.in" if "--config" in words else "set.toml")
        config.write_text(f"{name} = '{path}'\n")
        words = words if "--config" in words else [*words, "--config", config]
    before = sums(folder)
    done = CliRunner().invoke(
        main, [command.name, *map(str, words), *map(str, typed(param, path) if param else ())]
    )
    assert sums(folder) == before
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), (words, done.stderr, done.exception)
    return done.stderr


@every_command
def test_each_parameter_says_what_it_does(main, command):
    for param in command.params:
        is_word = param.name in WORDS or param.metavar == "COLUMN"
        is_text = isinstance(param.type, click.types.StringParamType | click.Path | click.File)
        looks = not getattr(param, "is_flag", False) and re.search(PATHS, param.metavar or "")
        has_role = isinstance(param.type, Reads | Writes)
        assert has_role or is_word or not (is_text or looks), param.name


@every_command
def test_no_option_with_one_value_is_given_twice(main, command, record_property):
    options = [each for each in command.params if isinstance(each, click.Option) and not each.is_flag]
    for option in options:
        name, letter = max(option.opts, key=len), min(option.opts, key=len)
        line = [command.name, letter, "1", f"{name}=1"] if option.nargs == 1 else [command.name]
        done = CliRunner().invoke(main, line)
        told = f"error: {name} is given twice; give it once\n"
        assert (done.stderr == told) != option.multiple, (line, done.stderr)
        assert done.exit_code == 2 or option.multiple
    record_property("options", len(options))


@every_command
def test_a_config_file_has_the_names_of_the_options(main, command, tmp_path):
    (tmp_path / "a.toml").write_text("no-such = 1")
    done = CliRunner().invoke(main, [command.name, "--config", str(tmp_path / "a.toml")])
    options = {max(each.opts, key=len)[2:] for each in command.params if isinstance(each, click.Option)}
    names = options - {"config"} | {name.replace("_", "-") for name in command.only_in_config}
    if any(each.name == AS_OPTION for each in command.params):
        names.remove("model")  # an argument
    if "config" in options:
        assert done.stderr.rpartition("knows ")[2].strip().split(", ") == sorted(names)


@every_command
def test_no_output_replaces_an_input(main, command, tmp_path, record_property):
    inputs = [(name, role.replaced_by) for name, role, _ in paths_of(command, Reads)]
    outputs = paths_of(command, Writes)
    pairs = [(output, name) for output in outputs for name, by in inputs if by != f"-{output[0][0]}"]
    for number, (output, name) in enumerate(pairs):
        (folder := tmp_path / str(number)).mkdir()
        words, file = with_inputs(folder, command, name)
        ending = next(iter(output[1].kinds[0].endings), "")
        (link := folder / f"link{ending}").symlink_to(file)
        os.link(file, hard := folder / f"hard{ending}")
        for path in (file, f"{file.parent}/../{file.parent.name}/{file.name}", link, hard):
            assert " would replace a file of " in refused(main, folder, command, words, output, path)
    record_property("pairs", len(pairs))


@every_command
def test_no_output_is_an_input_of_the_next_run(main, command, tmp_path, record_property):
    reads = [each for each in paths_of(command, Reads) if not each[1].is_folder]
    endings = [
        (output, kind.endings[0])
        for output in paths_of(command, Writes)
        for kind in output[1].kinds[:1]
        if kind.endings
    ]
    tried = 0
    for output, ending in endings:
        for name, role, _ in reads:
            (folder := tmp_path / str(tried)).mkdir()
            words, file = with_inputs(folder, command, name)
            if file.parent != folder and role.counts(f"a/new{ending}"):
                told = refused(main, folder, command, words, output, file.with_name(f"new{ending}"))
                assert " would write among the files that are read " in told
            tried += 1
    record_property("tried", tried)


@every_command
def test_no_other_kind_is_replaced_and_no_other_ending_written(main, command, tmp_path):
    words, _ = with_inputs(tmp_path, command)
    for output in paths_of(command, Writes):
        kinds = [kind for kind in output[1].kinds if kind != FOLDER]
        for ending in KNOWN.difference(*(kind.endings for kind in kinds)) if output[2] else ():
            told = refused(main, tmp_path, command, words, output, tmp_path / f"x{ending}")
            assert f"writes no {ending} files" in told
        if KINDS["safetensors"] in kinds:
            (tmp_path / "device.safetensors").symlink_to("/dev/null")
            told = refused(main, tmp_path, command, words, output, tmp_path / "device.safetensors")
            assert "is not a regular file" in told
        for head in HEADS:
            for kind in kinds:
                if not (re.match(kind.start, head, FLAGS) if kind.start else head == HEADS[0]):
                    (path := tmp_path / f"old{kind.endings[0]}").write_bytes(head)
                    told = refused(main, tmp_path, command, words, output, path)
                    assert "and is not replaced" in told


@pytest.mark.parametrize("source", ["-", "/dev/stdin", "/dev/fd/63", "/proc/self/fd/0", "/dev/../dev/stdin"])
def test_a_model_of_a_pipe_has_no_name(source):
    for app, command in ("vectors", "fit"), ("sentiment", "train"):
        done = CliRunner().invoke(MAINS[app], [command, source], input="x\n")
        assert done.exit_code == 2
        assert done.stderr == "error: a model of stdin has no default name; give one with -o\n"


def test_what_is_read_in_a_folder(tmp_path):
    (tmp_path / "in/a").mkdir(parents=True)
    for name in ("m.html", "in/m.html", "in/a/1.txt", "scan.tif"):
        (tmp_path / name).write_text("x")
    (tmp_path / "in/a/2.txt").symlink_to(tmp_path / "m.html")
    reader, role = Reads(counts=lambda name: "/" in name), Writes("html")
    names = ("m.html", "in/m.html", "in/a/1.txt", "in/a/3.txt")
    uses = [reader.uses(str(tmp_path / "in"), str(tmp_path / name), role) for name in names]
    assert uses == [True, False, True, False]
    assert reader.uses(f"{tmp_path}/scan.tif#2", f"{tmp_path}/scan.tif", role)
