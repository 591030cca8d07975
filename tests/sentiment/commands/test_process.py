"""What only a real process shows: pipes, a terminal, memory."""

import os
import sys
import threading

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and pipes")


def test_predict_answers_what_has_arrived(start, model):
    process = start("predict", model)
    for lines in ("great\n", "dull\ngreat\n"):
        process.stdin.write(lines)
        process.stdin.flush()
        for line in lines.splitlines():
            answer = process.stdout.readline()
            assert answer.startswith("pos\t" if line == "great" else "neg\t")
    process.stdin.close()
    assert process.wait(timeout=20) == 0


def peak(start, model, n_short, n_long):
    """Return the peak MB of predicting so many MB of reviews and of one line, and how many lines came out."""
    process, block = start("predict", model), ("a great thing that broke " * 40 + "\n") * 1000

    def feed():
        with process.stdin as stdin:
            stdin.writelines([block] * n_short)
            stdin.writelines([block.replace("\n", " ")] * n_long)

    (thread := threading.Thread(target=feed)).start()
    n = sum(1 for _ in process.stdout)
    thread.join()
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, process.stderr.read()
    return used.ru_maxrss >> 10, n


@posix
@pytest.mark.slow
def test_predict_streams_in_constant_memory(start, model, monkeypatch):
    monkeypatch.setenv("FASTSVM_MAX_LINE_MIB", "128")
    base, n = peak(start, model, 1, 0)
    assert n == 1000
    much, n = peak(start, model, 300, 0)
    assert n == 300 * 1000
    assert much < base + 30
    assert peak(start, model, 1, 100)[1] == 1001  # a line of 100 MB is one line


@pytest.mark.slow
def test_a_poor_terminal_gets_escapes(start, model, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    corpus = tmp_path / "a.txt"
    lines = (f"toys pös 1.txt 好 a{i}\ntoys neg 2.txt bad b{i}\n" for i in range(9))
    corpus.write_text("".join(lines), encoding="utf-8")
    for options in ([], ["--json"]):
        process = start("train", corpus, *options)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert r"p\xf6s" in out or r"p\u00f6s" in out
