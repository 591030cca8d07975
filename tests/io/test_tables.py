"""Tables, objects and texts that become matrices on disk."""

import gzip
import json

import numpy as np
import pytest

from fastsvm.io import feature_names, load, store_csv, store_json_lines, store_texts
from fastsvm.io import lines as lines_of_files
from fastsvm.text import BagOfWords, HashedBagOfWords


def stored(folder):
    X, y = load(folder, verify=True)
    return X.toarray().tolist(), y.tolist()


@pytest.mark.parametrize("block", [16, 1 << 23])
def test_csv(tmp_path, monkeypatch, block):
    monkeypatch.setattr(lines_of_files, "BLOCK", block)
    (tmp_path / "a.csv").write_text('\ufeffid,"width",label,height\r\nx,.5,"cat",2\r\n\r\ny, 1e3 ,dog,0\r\n')
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"id,width,label,height\nz,-1,cat,3"))
    files = [tmp_path / "a.csv", tmp_path / "b.csv.gz"]
    store_csv(files, tmp_path / "X", columns=["width", "height"])
    assert stored(tmp_path / "X") == ([[0.5, 2], [1000, 0], [-1, 3]], ["cat", "dog", "cat"])
    assert feature_names(tmp_path / "X") == ["width", "height"]


def test_csv_without_a_header_and_with_numbers_as_labels(tmp_path):
    (tmp_path / "a").write_text("1;2;-1\n3;4;1\n")
    store_csv(tmp_path / "a", tmp_path / "X", label=-1, header=False, delimiter=";", dtype=np.float64)
    assert stored(tmp_path / "X") == ([[1, 2], [3, 4]], [-1, 1])
    assert feature_names(tmp_path / "X") is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"a,label\n1,x\none,y\n", "line 3: column 0 (a): 'one' is not a finite number"),
        (b"a,label\n1,x\n,y\n", "line 3: column 0 (a): is empty"),
        (b"a,label\n1,x\n1e39,y\n", "line 3: column 0 (a): '1e39' is not a finite number"),  # in float32
        (b"a,label\n1,x\n1,2,y\n", "line 3: 3 fields, where the header has 2"),
        (b"a,label\n1,x\n1\n", "line 3: 1 fields, where the header has 2"),
        (b'a,label\n1,x\n"1,y\n', "line 3: a quote that is not closed on its line"),
        (b"a,label\n1,x\n1,\xff\n", "line 3: is not UTF-8 (byte 0xff)"),
        (b"a,label\n1,x\n1,\0y\n", "line 3: has a NUL character"),
        (b"a,label\n1,2\n1,y\n", "line 3: the label 'y' is no finite number, as the first one is"),
        (b"a,b\n1,2\n", "no column 'label' among 'a, b'"),
        (b"", "is empty"),
        (gzip.compress(b"a,label\n" + b"1,x\n" * 9999, mtime=0)[:40], "damaged gzip data"),
    ],
    ids=range(12),
)
def test_a_bad_line_of_csv_is_named_and_nothing_is_left(tmp_path, text, what):
    (tmp_path / "a.csv").write_bytes(text)
    with pytest.raises(ValueError, match=r"a\.csv") as error:
        store_csv(tmp_path / "a.csv", tmp_path / "X")
    assert what in str(error.value)
    assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("block", [16, 1 << 23])
def test_json_lines(tmp_path, monkeypatch, block):
    monkeypatch.setattr(lines_of_files, "BLOCK", block)
    rows = [{"label": 1, "b": 2, "a": 0.5}, {"c": -1, "label": 0}, {"label": 1, "a": 0}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    store_json_lines(tmp_path / "a.jsonl", tmp_path / "X")
    assert stored(tmp_path / "X") == ([[2, 0.5, 0], [0, 0, -1], [0, 0, 0]], [1, 0, 1])
    assert feature_names(tmp_path / "X") == ["b", "a", "c"]
    store_json_lines(tmp_path / "a.jsonl", tmp_path / "Y", columns=["c", "a"], text_labels=True)
    assert stored(tmp_path / "Y") == ([[0, 0.5], [-1, 0], [0, 0]], ["1", "0", "1"])


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[1]", "is not a JSON object"),
        ('{"label": 1', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": 1}', "no key 'label' among 'a'"),
        ('{"label": null}', "the label is None"),
        ('{"label": "x"}', "the label 'x' is a text, and the first one a number"),
        ('{"label": 1, "a": "2"}', "'a' is '2', which is not a finite number"),
        ('{"label": 1, "a": NaN}', "'a' is nan, which is not a finite number"),
        ('{"label": 1, "a": 1e39}', "'a' is 1e+39, which is not a finite number"),
        ('{"label": 1, "a": ' + "9" * 400 + "}", "which is not a finite number"),
    ],
    ids=range(10),
)
def test_a_bad_object_is_named_and_nothing_is_left(tmp_path, line, what):
    (tmp_path / "a.jsonl").write_text('{"label": 1, "a": 2}\n\n' + line + "\n")
    with pytest.raises(ValueError, match="line 3: ") as error:
        store_json_lines(tmp_path / "a.jsonl", tmp_path / "X")
    assert what in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("columns", ["a", [], ["a", "a"], ["a", "label"]])
def test_columns_that_cannot_be_meant_are_refused(tmp_path, columns):
    (tmp_path / "a.csv").write_text("a,label\n1,2\n")
    (tmp_path / "a.jsonl").write_text('{"label": 1, "a": 2}\n')
    for name, store in (("a.csv", store_csv), ("a.jsonl", store_json_lines)):
        with pytest.raises(ValueError, match="columns must"):
            store(tmp_path / name, tmp_path / "X", columns=columns)


@pytest.mark.parametrize("vectorizer", [BagOfWords(ngram_range=(1, 2)), HashedBagOfWords(n_features=256)])
def test_texts(tmp_path, monkeypatch, vectorizer):
    texts = ["a good book", "", "a long long wait\tand more"] * 20
    labels = ["pos", "neg", "neg"] * 20
    vectorizer.fit(texts)
    monkeypatch.setattr(lines_of_files, "BLOCK", 64)
    lines = (f"{label}\t{text}\n" for label, text in zip(labels, texts, strict=True))
    (tmp_path / "a.tsv").write_text("".join(lines))
    store_texts(tmp_path / "a.tsv", tmp_path / "X", vectorizer, dtype=np.float64)
    X, y = stored(tmp_path / "X")
    np.testing.assert_array_equal(X, vectorizer.transform(texts).toarray())
    assert y == labels


def test_a_text_without_a_label_is_named(tmp_path):
    (tmp_path / "a.tsv").write_text("pos\tgood\nbad\n")
    with pytest.raises(ValueError, match="line 2: has no tab between its label and its text"):
        store_texts(tmp_path / "a.tsv", tmp_path / "X", HashedBagOfWords(n_features=256))
    with pytest.raises(ValueError, match="vectorizer cannot be pickled"):
        store_texts(tmp_path / "a.tsv", tmp_path / "X", HashedBagOfWords(tokenizer=lambda text: [text]))


def test_tables_go_on_where_they_were_cut(tmp_path, monkeypatch):
    """The second call begins at the last rows that the first was sure of, and knows what labels are."""
    monkeypatch.setattr(lines_of_files, "BLOCK", 64)
    monkeypatch.setattr("fastsvm.io.storing.SAVED", 128)
    lines = [json.dumps({"label": str(k % 3), f"x{k % 7}": k}) for k in range(100)]
    (tmp_path / "a").write_text("\n".join(lines))
    plain, began = lines_of_files.blocks, []

    def cut(paths, begin):
        began.append(begin.line)
        for number, block in enumerate(plain(paths, begin)):
            if len(began) == 1 and number == 20:
                raise KeyboardInterrupt
            yield block

    monkeypatch.setattr("fastsvm.io.storing.blocks", cut)
    with pytest.raises(KeyboardInterrupt):
        store_json_lines(tmp_path / "a", tmp_path / "X")
    store_json_lines(tmp_path / "a", tmp_path / "X")
    assert 0 < began[1] < 100
    X, y = load(tmp_path / "X", verify=True)
    assert y.tolist() == [str(k % 3) for k in range(100)]
    np.testing.assert_array_equal(np.asarray(X.sum(axis=1)).ravel(), np.arange(100))
