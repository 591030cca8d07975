"""Input without an end: skipped or refused in one line, with bounded memory."""

import gzip
import re
import subprocess
import sys

import pytest

from refusal import assert_refused as fails

MIB = 1 << 20


@pytest.fixture
def one_mib(monkeypatch):
    """Take lines of up to 1 MiB."""
    monkeypatch.setenv("FASTSVM_MAX_LINE_MIB", "1")


needs_dev = pytest.mark.skipif(sys.platform == "win32", reason="POSIX devices")
long = "great " * (MIB // 6 + 1)


@pytest.fixture(scope="module")
def bomb():
    return gzip.compress(bytes(72 * MIB), 1)


def tsv(pairs):
    return "\n".join(["label\ttext", *(f"{label}\t{text}" for label, text in pairs), ""])


@pytest.mark.usefixtures("one_mib")
def test_long_lines_are_skipped_and_named(reader, texts, tmp_path, monkeypatch):
    pairs = texts(60)
    pairs[7:7] = [("neg", long)]
    corpus = tmp_path / "a.tsv"
    corpus.write_text(tsv([*pairs, ("pos", long * 2)]))
    result = reader(corpus)
    assert result.exit_code == 3, (result.stderr, result.exception)
    assert result.stdout
    assert [line for line in result.stderr.splitlines() if line.startswith(str(corpus))] == [
        f"{corpus}, line 9: longer than 1 MiB (see FASTSVM_MAX_LINE_MIB)",
        f"{corpus}, line 63: longer than 1 MiB (see FASTSVM_MAX_LINE_MIB)",
        f"{corpus}: 2 skipped",
    ]
    monkeypatch.delenv("FASTSVM_MAX_LINE_MIB")
    assert reader(corpus).exit_code == 0  # they are not long by default


@pytest.mark.usefixtures("one_mib")
def test_long_files_of_a_folder_are_skipped_and_named(reader, write, texts, bomb, tmp_path):
    folder = tmp_path / "a"
    write(texts(60), "folder", "a")
    (folder / "pos" / "long.txt").write_text(long)
    (folder / "neg" / "bomb.txt.gz").write_bytes(bomb)
    result = reader(folder)
    assert result.exit_code == 3, (result.stderr, result.exception)
    assert f"{folder}, neg/bomb.txt.gz: longer than 1 MiB (see FASTSVM_MAX_LINE_MIB)\n" in result.stderr
    assert f"{folder}, pos/long.txt: longer than 1 MiB (see FASTSVM_MAX_LINE_MIB)\n" in result.stderr
    assert f"{folder}: 2 skipped\n" in result.stderr


@pytest.mark.usefixtures("one_mib")
def test_a_corpus_that_is_one_long_line(reader, tmp_path):
    corpus = tmp_path / "a.tsv"
    corpus.write_bytes(bytes(2 * MIB))
    fails(reader(corpus), 1, r"no labelled text; .* such as line 1: longer than 1 MiB")


@pytest.mark.parametrize(("rest", "skipped"), [("", "10,000"), (f"\n{long}", "10,001")])
@pytest.mark.usefixtures("one_mib")
def test_a_record_is_no_longer_than_a_line(run, texts, tmp_path, rest, skipped):
    corpus = tmp_path / "a.tsv"
    # The quote before these lines is not closed.
    lines = "".join(f"{'dull thing ' * 15}{i}\n" for i in range(10_000))
    corpus.write_text(f'{tsv(texts(60))}pos\t"great{rest}\n{lines}')
    result = run("inspect", corpus)
    assert result.exit_code == 3, (result.stderr, result.exception)
    assert f": {skipped} skipped\n" in result.stderr


BOMBED = ": gzip data that unpacks to more than 200 times its size; if .* set FASTSVM_MAX_EXPANSION higher"


def test_gzip_bombs(reader, bomb, tmp_path):
    corpus = tmp_path / "bomb.gz"
    corpus.write_bytes(bomb)
    fails(reader(corpus), 1, re.escape(str(corpus)) + BOMBED)
    fails(reader("-", input=bomb), 1, "<stdin>" + BOMBED)


@needs_dev
def test_devices(reader, run, model):
    fails(reader("/dev/zero"), 1, "/dev/zero: is a device; give a file or a pipe")
    fails(reader("/dev/null"), 1, "/dev/null: the file is empty")
    fails(run("predict", model, "/dev/zero"), 1, "/dev/zero: is a device")
    assert run("predict", model, "/dev/null").exit_code == 0
    fails(run("predict", "/dev/zero", input="a\n"), 1, "/dev/zero: is a device; give a file or a pipe")
    fails(run("inspect", "x", "--config", "/dev/zero"), 2, "/dev/zero: larger than .* a config file")


@pytest.mark.usefixtures("one_mib")
def test_predict_takes_the_beginning_of_a_long_line(run, model):
    content = f"great\n{'great ' * 180_000}{'dull ' * 180_000}\ndull\n"
    result = run("predict", model, input=content)
    assert result.exit_code == 3
    assert [line.split("\t")[0] for line in result.stdout.splitlines()] == ["pos", "pos", "neg"]
    assert result.stderr.splitlines() == [
        "<stdin>, line 2: longer than 1 MiB (see FASTSVM_MAX_LINE_MIB)",
        "<stdin>: 1 predicted with those bytes replaced or left out",
    ]


# Feeds a stream that does not end, and has no line ends, to the app under a limit of memory.
STARVED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from fastsvm_apps.sentiment.cli import main
main(sys.argv[1:])
"""


@pytest.mark.slow
@needs_dev
@pytest.mark.parametrize("command", ["train -", "inspect -", "evaluate", "predict", "explain -"])
def test_a_stream_that_never_ends(command, model, tmp_path):
    args = command.split()
    if args[0] in ("evaluate", "predict"):
        args[1:] = [model, "-"]
    args += ["-o", "m.safetensors"] * (args[0] == "train")
    feed = subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE)
    options = {"stdin": feed.stdout, "capture_output": True, "text": True, "cwd": tmp_path, "timeout": 120}
    done = subprocess.run([sys.executable, "-P", "-c", STARVED, *args], **options)
    feed.stdout.close()
    feed.wait()
    assert (done.returncode, done.stdout) == (1, "")
    longest = "longer than 16 MiB" if "explain" in args else "line 1: has no end within 1,040 MiB; is it text"
    assert re.fullmatch(rf"error: <stdin>.* {longest}.*\n", done.stderr), done.stderr
    assert not list(tmp_path.iterdir())
