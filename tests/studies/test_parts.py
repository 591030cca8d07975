"""Parts of a study are computed once, and what a file says is not taken on trust."""

import os

import numpy as np
import pytest

from fastsvm_apps.studies.frame import parts
from fastsvm_apps.studies.frame.context import Context


@pytest.fixture
def part(tmp_path):
    """Ask a context for a part; returns its arrays, and whether they were computed now."""

    def part(name="runs", value=1.0, **key):
        computed = []

        def compute():
            computed.append(True)
            return {"error": [value, np.nan], "count": 3}

        arrays = Context(parts=str(tmp_path / "parts")).part(name, compute, **key)
        return arrays, bool(computed)

    return part


def file_of(folder):
    (name,) = os.listdir(folder / "parts")
    return folder / "parts" / name


def test_a_part_is_computed_once(part):
    first, computed = part(seed=1, of=np.arange(3), grid=(0.1, 1), n=np.int64(2))
    again, computed_again = part(value=2.0, seed=1, of=np.arange(3), grid=(0.1, 1), n=np.int64(2))
    assert (computed, computed_again) == (True, False)
    for arrays in first, again:
        assert {name: array.dtype for name, array in arrays.items()} == {"error": float, "count": int}
        np.testing.assert_array_equal(arrays["error"], [1.0, np.nan])
        assert arrays["count"] == 3


@pytest.mark.parametrize(
    "key", [{"seed": 2}, {"seed": "1"}, {"seed": 1, "of": np.arange(3)}, {"name": "other", "seed": 1}]
)
def test_another_key_is_another_part(part, key):
    part(seed=1)
    assert part(**key)[1]


def test_another_version_is_another_part(part, monkeypatch):
    part(seed=1)
    monkeypatch.setattr(parts, "__version__", "9.9")
    assert part(seed=1)[1]


def cut(content):
    return content[: len(content) // 2]


def flip(content):
    middle = content.index(b"error.npy") + 200
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("change", [cut, flip, lambda _: b"", lambda _: b"PK\x03\x04 of somebody else"])
def test_a_broken_file_counts_as_absent(part, change, tmp_path):
    part(seed=1)
    path = file_of(tmp_path)
    path.write_bytes(change(path.read_bytes()))
    assert part(seed=1)[1]
    assert not part(seed=1)[1]


def test_files_of_others_count_as_absent(part, tmp_path):
    part(seed=1)
    path = file_of(tmp_path)
    np.savez(path, error=np.zeros(2), count=np.array(3))
    assert part(seed=1)[1]
    np.savez(path, **{parts._KEY: np.array([{"seed": 1}], object)})  # a pickle
    assert part(seed=1)[1]
    with open(path, "wb") as file:
        np.save(file, np.zeros(2))
    assert part(seed=1)[1]


def test_what_fails_leaves_no_file(tmp_path):
    def fail():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Context(parts=str(tmp_path / "parts")).part("runs", fail)
    assert not (tmp_path / "parts").exists()


def test_only_parts_are_forgotten(part, tmp_path):
    part(seed=1)
    part(seed=2)
    (tmp_path / "parts" / "notes.txt").write_text("mine")
    parts.forget(str(tmp_path / "parts"))
    assert os.listdir(tmp_path / "parts") == ["notes.txt"]
    parts.forget(str(tmp_path / "absent"))


@pytest.mark.parametrize("kept", [True, False])
def test_what_needs_a_pickle_is_refused(kept, tmp_path):
    context = Context(parts=str(tmp_path) if kept else None)
    with pytest.raises(TypeError, match="rows has objects"):
        context.part("runs", lambda: {"rows": np.array([{}])})
    if kept:
        with pytest.raises(TypeError, match="set in the key"):
            context.part("runs", lambda: {}, labels={5, 6})
    assert os.listdir(tmp_path) == []
