"""The cache of finished steps: computed once, and never trusted where it is damaged."""

import os

import numpy as np
import pytest

from fastsvm_apps.common import cache
from fastsvm_apps.common.cache import Cache


@pytest.fixture
def get(tmp_path):
    """Ask a cache for a step; return the result, and whether it was computed now."""

    def get(name="runs", value=1.0, **key):
        computed = []

        def compute():
            computed.append(True)
            return {"error": np.array([value, np.nan]), "count": 3, "labels": ("näh", None)}

        return Cache(tmp_path / "kept").get(name, compute, **key), bool(computed)

    return get


def test_a_step_is_computed_once(get, tmp_path):
    key = {"seed": 1, "of": np.arange(3), "grid": (0.1, 1), "n": np.int64(2)}
    (first, computed), (again, computed_again) = get(**key), get(value=2.0, **key)
    assert (computed, computed_again) == (True, False)
    for found in first, again:
        np.testing.assert_array_equal(found["error"], [1.0, np.nan])
        assert (found["count"], found["labels"]) == (3, ["näh", None])
    kept = Cache(tmp_path / "kept", seed=1)
    assert kept.find("runs", **{name: key[name] for name in key if name != "seed"})
    assert kept.find("runs") is None


@pytest.mark.parametrize(
    "key", [{"seed": 2}, {"seed": "1"}, {"seed": 1, "of": np.arange(3)}, {"name": "other", "seed": 1}]
)
def test_another_key_is_another_step(get, key):
    get(seed=1)
    assert get(**key)[1]


def test_another_version_is_another_step(get, monkeypatch):
    get(seed=1)
    monkeypatch.setattr(cache, "__version__", "9.9")
    assert get(seed=1)[1]


def flip(content):
    middle = content.index(np.array([1.0, np.nan]).tobytes())
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("change", [lambda c: c[: len(c) // 2], flip, lambda _: b"", lambda _: b"PK\x03\x04"])
def test_a_damaged_file_is_computed_anew(get, change, tmp_path):
    get(seed=1)
    [path] = (tmp_path / "kept").iterdir()
    path.write_bytes(change(path.read_bytes()))
    assert get(seed=1)[1]
    assert not get(seed=1)[1]


def test_files_of_others_are_not_read(get, tmp_path):
    get(seed=1)
    [path] = (tmp_path / "kept").iterdir()
    np.savez(path, error=np.zeros(2))
    assert get(seed=1)[1]
    np.savez(path, about=np.array([{"seed": 1}], object))  # a pickle
    assert get(seed=1)[1]


def test_another_run_may_remove_what_is_kept(get, tmp_path, monkeypatch):
    monkeypatch.setattr(cache.Path, "mkdir", lambda *_, **__: None)  # as if the folder went after it was made
    assert get()[0]["count"] == 3
    assert list(tmp_path.iterdir()) == []


def test_only_entries_are_removed(get, tmp_path):
    folder = tmp_path / "kept"
    get(seed=1)
    get(seed=2)
    (folder / "notes.txt").write_text("mine")
    mine = Cache(folder, seed=1)
    mine.path("rows").mkdir()
    mine.path("fit", ".fit").write_bytes(b"")
    assert mine.names() == ["runs", "rows", "fit"]
    mine.clear()
    assert len(os.listdir(folder)) == 2
    mine.clear(every=True)
    assert os.listdir(folder) == ["notes.txt"]
    Cache(tmp_path / "absent").clear()


def test_results_that_need_a_pickle_are_refused(tmp_path):
    with pytest.raises(TypeError, match="rows has objects"):
        Cache(tmp_path).get("runs", lambda: {"rows": np.array([{}])})
    with pytest.raises(TypeError, match="set cannot be in the key"):
        Cache(tmp_path, labels={5, 6}).get("runs", dict)
    assert os.listdir(tmp_path) == []
