"""What BagOfWords reads: kinds of iterables and documents, errors on the way, much text, threads."""

import gc
import io
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastsvm.text import Bag, BagOfWords, HashedBagOfWords, lower_without_markup
from twins import (
    TEXTS,
    assert_same,
    assert_same_bits,
    assert_same_matrix,
    assert_same_state,
    check,
    outcome,
    scikit_learn,
)


class Plain(str):
    """A string with another name."""


class Indexed:
    """The oldest kind of iterable, with a length that is not true."""

    def __init__(self, texts):
        self.texts = texts

    def __getitem__(self, i):
        return self.texts[i]

    def __len__(self):
        return 10**12


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        iter,
        dict.fromkeys,
        np.array,
        lambda texts: np.array(texts, dtype=object),
        lambda texts: (text for text in texts),
        lambda texts: io.StringIO("\n".join(texts)),
        lambda texts: [text.encode() for text in texts],
        lambda texts: [text.encode() if i % 2 else text for i, text in enumerate(texts)],
        lambda texts: [np.str_(text) for text in texts],
        lambda texts: map(str, texts),
        lambda texts: map(Plain, texts),
        Indexed,
    ],
)
def test_iterables(kind):
    assert check(BagOfWords(), lambda: kind(TEXTS)).nnz


@pytest.mark.parametrize(
    ("encoding", "decode_error"),
    [
        *(("utf-8", how) for how in ("strict", "replace", "ignore")),
        *((encoding, "strict") for encoding in ("utf-8-sig", "latin-1", "no such encoding")),
        *(("UTF8", "replace"), ("cp1251", "replace"), ("utf-16", "ignore"), ("ascii", "ignore")),
    ],
)
def test_encodings(encoding, decode_error):
    texts = [
        *(text.encode() for text in TEXTS),
        b"caf\xe9 and tea \xff\xfe end",
        b"cut short \xe6\x97",
        b"\xef\xbb\xbfmark first",
        b"over\xc0\xaflong \xed\xa0\x80 surrogate \xf4\x90\x80\x80 beyond",
        "ΟΔΟΣ cat".encode("utf-16"),
    ]
    check(BagOfWords(encoding=encoding, decode_error=decode_error), texts, texts[::-1])
    check(BagOfWords(encoding=encoding, decode_error=decode_error), TEXTS)


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=10), st.sampled_from(["replace", "ignore"]))
def test_any_bytes(texts, decode_error):
    check(BagOfWords(decode_error=decode_error), texts, texts[::-1])
    check(BagOfWords(decode_error=decode_error, analyzer="split"), texts, texts[::-1])


def test_files(tmp_path):
    paths = []
    for i, text in enumerate([*TEXTS, "ends\r\nof\rlines\n"]):
        paths.append(tmp_path / f"{i}.txt")
        paths[-1].write_bytes(text.encode())
    check(BagOfWords(input="filename"), paths, paths[::-1])
    check(BagOfWords(input="filename", encoding="latin-1"), list(map(str, paths)), paths[::-1])
    check(BagOfWords(input="filename"), [paths[0], tmp_path / "missing"], paths)
    (tmp_path / "bad").write_bytes(b"caf\xe9")
    check(BagOfWords(input="filename"), [tmp_path / "bad"], paths)
    ours = BagOfWords(input="file")
    own = scikit_learn(ours)
    for mode in ("rb", "r"):
        results = []
        for one in (ours, own):
            with ExitStack() as opened:
                encoding = None if "b" in mode else "utf-8"
                files = [opened.enter_context(open(path, mode, encoding=encoding)) for path in paths]
                results.append(outcome(lambda one=one, files=files: one.fit_transform(files)))
        assert_same(*results)
        assert results[0].value is not None
    check(BagOfWords(input="file"), TEXTS)  # strings have no read()


def test_a_generator_is_consumed_once_and_in_order():
    for n_jobs in (1, 2):
        seen = []

        def texts(seen=seen):
            for i, text in enumerate(TEXTS):
                seen.append(i)
                yield text

        vectorizer = BagOfWords(n_jobs=n_jobs)
        vectorizer.fit_transform(texts())
        vectorizer.transform(texts())
        vectorizer.fit(texts())
        assert seen == 3 * list(range(len(TEXTS)))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("good", [0, 1, 5000])
def test_an_error_on_the_way_leaves_the_vectorizer_as_it_was(n_jobs, good):
    class MyError(Exception):
        pass

    def texts():
        for i in range(good):
            yield f"new words {i}"
        raise MyError("the disk is gone")

    vectorizer = BagOfWords(n_jobs=n_jobs).fit(TEXTS)
    own = scikit_learn(vectorizer).fit(TEXTS)
    for fail in (
        lambda: vectorizer.fit_transform(texts()),
        lambda: vectorizer.transform(texts()),
        lambda: vectorizer.fit(["new words"] * good + [None]),
        lambda: vectorizer.fit([]),
        lambda: vectorizer.set_params(min_df=100).fit(["new words"] * 5),
    ):
        with pytest.raises((MyError, AttributeError, ValueError)):
            fail()
        vectorizer.set_params(min_df=1)
        assert_same_state(vectorizer, own)
        assert_same_matrix(vectorizer.transform(TEXTS), own.transform(TEXTS))
    unfitted = BagOfWords(n_jobs=n_jobs)
    with pytest.raises(MyError, match="the disk is gone"):
        unfitted.fit(texts())
    assert not hasattr(unfitted, "vocabulary_")


def test_a_generator_may_use_the_same_vectorizer():
    vectorizer = BagOfWords().fit(TEXTS)

    def texts():
        for text in TEXTS:
            vectorizer.transform([text])
            yield text

    own = scikit_learn(vectorizer).fit(TEXTS)
    assert_same_matrix(vectorizer.transform(texts()), own.transform(TEXTS))


ODD = [3, ["three"], ("three",), np.array(["three"]), b"\xff\xfe", bytearray(b"three")]
NO_TEXTS = [
    *([], [""], ["", " ", "\n"], ["a b c", "! ?"], None, 7, [["one two"]]),
    *(np.array([["one two"], ["three"]]), "a single string", b"bytes are a sequence of numbers"),
]


@pytest.mark.parametrize("texts", [*NO_TEXTS, *(["one two", odd] for odd in ODD)], ids=repr)
@pytest.mark.parametrize("more", [{}, {"analyzer": "split", "strip_accents": "ascii"}], ids=str)
def test_texts_that_are_none(texts, more):
    check(BagOfWords(**more), texts)
    fitted = BagOfWords(**more).fit(TEXTS), scikit_learn(BagOfWords(**more)).fit(TEXTS)
    assert_same(*(outcome(lambda one=one: one.transform(texts)) for one in fitted))


@pytest.mark.parametrize("odd", [None, np.nan, float("nan")], ids=repr)
@pytest.mark.parametrize("preprocessor", [None, lower_without_markup])
@pytest.mark.parametrize("cls", [Bag, BagOfWords, HashedBagOfWords])
def test_a_missing_text_is_named_by_its_row(cls, preprocessor, odd):
    with pytest.raises(
        ValueError, match=r"^(None|np\.nan) is an invalid document.* in row 2, counted from 0"
    ):
        cls(preprocessor=preprocessor).fit_transform(["one two", "three", odd])


def test_a_preprocessor_may_know_what_to_do_about_a_missing_text():
    X = BagOfWords(preprocessor=lambda text: text or "none at all").fit_transform(["one two", None])
    assert X.sum(axis=1).ravel().tolist() == [[2, 3]]


def test_a_table_is_refused():
    table = pytest.importorskip("pandas").DataFrame({"text": ["one two"], "label": [1]})
    for cls in Bag, BagOfWords, HashedBagOfWords:
        with pytest.raises(ValueError, match=r"this is a table: pass one column, such as table\['text'\]"):
            cls().fit_transform(table)
    assert BagOfWords().fit_transform(table["text"]).shape == (1, 2)


# Large


def test_long_tokens():
    long = "ab" * 100_000
    for analyzer in ("word", "split"):
        X = check(
            BagOfWords(analyzer=analyzer, ngram_range=(1, 2)),
            [f"{long} {long.upper()} x1 {long}Σ", "x" + long, f"{long}!{long[:-1]}é"],
            [long, long[1:]],
        )
        assert X.shape[1] > 4


def test_many_tokens_in_a_text():
    check(BagOfWords(), ["to be or not to be " * 5_000, "be"])
    check(BagOfWords(ngram_range=(1, 2)), [" ".join(map(str, range(10, 30_000)))])


GROWTH = """
import resource, sys
from fastsvm.text import BagOfWords
def texts():
    for i in range(1500):
        yield f"{'word' * 20}{i % 50} and {'more' * 20}{i % 7}7 " * 400  # 70 kB each, 105 MB in all
bag = BagOfWords(n_jobs=2)
bag.fit_transform(["a few words"])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(bag.fit_transform(texts()).shape[0], end=" ")
print(bag.transform(texts()).shape[0], end=" ")
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown / (2**20 if sys.platform == "darwin" else 2**10))
"""


# A child's peak of memory counts from that of the process that started it, so a small one has to start it.
LAUNCHER = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"


@pytest.mark.slow
def test_a_generator_need_not_fit_in_memory():
    pytest.importorskip("resource")
    growth = [sys.executable, "-P", "-c", GROWTH]
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, *growth]
    done = subprocess.run(launch, capture_output=True, text=True, check=True)
    fitted, transformed, megabytes = done.stdout.split()
    assert fitted == transformed == "1500"
    assert float(megabytes) < 60


def test_nothing_leaks():
    resource = pytest.importorskip("resource")
    texts = [" ".join(f"word{i}{j}" for j in range(30)) for i in range(200)]

    def many_times():
        for _ in range(20):
            bag = BagOfWords(ngram_range=(1, 2))
            bag.fit_transform(texts)
            bag.transform(texts)
            bag.get_feature_names_out()
            with pytest.raises(ValueError, match="None is an invalid document"):
                bag.fit([*texts, None])
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = many_times()
    assert many_times() < before * 1.1


# Threads


def test_threads_may_share_a_vectorizer():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.geometric(0.01, 40)) for _ in range(2000)]
    vectorizer = BagOfWords(ngram_range=(1, 2)).fit(texts)
    parts = [texts[i::4] for i in range(4)]
    expected = [vectorizer.transform(part) for part in parts]
    with ThreadPoolExecutor(4) as pool:
        for X, one in zip(pool.map(vectorizer.transform, 5 * parts), 5 * expected, strict=True):
            assert_same_bits(X, one)


def test_other_threads_run_meanwhile():
    """While one long text is cut, which is a single call, this thread gets its turns."""
    text = "to be or not to be " * 3_000_000
    vectorizer = BagOfWords().fit(["to be or not"])
    thread = threading.Thread(target=vectorizer.transform, args=([text],))
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.001)
        turns += 1
    assert turns > 10
