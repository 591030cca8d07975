"""Every fuzz harness takes its seeds, changed here and there; for a minute each, those that atheris makes."""

import os
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

HARNESSES = sorted(path.stem for path in Path(__file__).parent.glob("fuzz_*.py"))
# atheris 3.0 never frees what an instrumented comparison of arrays returns: 0.25 MB for a picture of cells.
RUNS = {"fuzz_cells": 6000}
CHANGES = {"fuzz_cells": 2, "fuzz_header": 150}  # of each seed; the others 20
SECONDS = int(os.environ.get("FASTSVM_FUZZ_SECONDS", 60))
SEED = int(os.environ.get("FASTSVM_FUZZ_SEED", 1))  # the same for every change; others by hand


def changed(seed, rng):
    """Exchange, repeat and leave out a few pieces of an input, mostly near its beginning or its end."""
    content = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        at = rng.choice([rng.randrange(len(content) + 1), rng.randrange(80), -rng.randrange(1, 200)])
        piece = content[at : at + rng.choice([1, 1, 4, 30])]
        content[at : at + len(piece)] = rng.choice([b"\xff" * len(piece), b"\0\1", b'"\n', b"", piece * 2])
    return bytes(content)


@pytest.mark.filterwarnings("ignore::UserWarning:PIL")
@pytest.mark.parametrize("harness", HARNESSES)
def test_seeds(harness):
    module, rng = import_module(harness), random.Random(harness)
    for seed in module.SEEDS:
        module.target(seed)
        for _ in range(CHANGES.get(harness, 20)):
            module.target(changed(seed, rng))


@pytest.mark.fuzz
@pytest.mark.parametrize("harness", HARNESSES)
def test_changed_seeds(harness, tmp_path):
    pytest.importorskip("atheris", reason="atheris has no wheel for this system: see the extra `fuzz`")
    # A process of its own: what it finds may be a signal, and atheris never returns.
    command = [sys.executable, Path(__file__).with_name(f"{harness}.py"), f"-max_total_time={SECONDS}"]
    command += [f"-artifact_prefix={tmp_path}/", f"-seed={SEED}", "-timeout=60", "-print_final_stats=1"]
    command += [f"-runs={RUNS[harness]}"] if harness in RUNS else []
    with open(tmp_path / "log", "w+b") as log:
        status = subprocess.call(command, stdout=log, stderr=log, timeout=SECONDS + 300)
        log.seek(0)
        said = log.read().decode(errors="replace")
    assert status == 0, said[-8000:]
    assert "Done " in said, said[-8000:]
