"""Reading corpora: what is sniffed, what is skipped, and what quotes mean."""

import gzip
import io
from itertools import chain

import pytest

from fastsvm_apps.common.errors import AppError, Skipped
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.text_lines import arriving_texts
from fastsvm_apps.sentiment.data.text_source import TextSource


@pytest.fixture
def read(tmp_path):
    def read(content, **options):
        path = tmp_path / "corpus.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_corpus(TextSource(str(path), **options))

    return read


def pairs(corpus):
    return list(zip(corpus.labels, corpus.texts, strict=True))


AB = [("a", "one two"), ("b", "three")]


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("corpus", "x a 1.txt one two\nx b 2.txt three\n"),
        ("tsv", "label\ttext\na\tone two\nb\tthree\n"),
        ("tsv", "id\ttext\tlabel\n1\tone two\ta\n2\tthree\tb\n"),
        ("csv", 'text,label\n"one two",a\nthree,"b"\n'),
        ("jsonl", '{"text": "one two", "label": "a"}\n{"label": "b", "text": "three", "more": []}\n'),
        ("fasttext", "__label__a one two\n__label__b three\n"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", "\n\n", "\r\r"])
def test_formats(read, format, content, ending):
    corpus = read(content.replace("\n", ending))
    assert (corpus.format, pairs(corpus), corpus.skipped.count) == (format, AB, 0)
    assert pairs(read(content.rstrip("\n"), format=format)) == AB


def test_folder(tmp_path):
    packed = gzip.compress(b"some words" * 1000)
    texts = {"b/1.txt": b"three", "a/x": gzip.compress(b"one two")}
    hidden = {"a/.hidden": b"no", ".git/c": b"no", "notes.txt": b"no"}
    skipped = {
        "b/2": (b"caf\xe9", "bytes that are not UTF-8"),
        "b/3": (b"", "no text"),
        "b/4": (packed[:-9], "damaged gzip data"),
        "b/5": (b"x\0", "NUL characters"),
        "b/6": (packed[:20] + b"!" * 99, "damaged gzip data"),
        "n\udce9g/1": (b"one", "the name of its folder is not UTF-8; rename the folder"),
    }
    for name, content in {**texts, **hidden, **{name: skipped[name][0] for name in skipped}}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    corpus = read_corpus(TextSource(str(tmp_path)))
    assert (corpus.format, pairs(corpus)) == ("folder", AB)
    told = [f"{name}: {problem}".replace("\udce9", "\ufffd") for name, (_, problem) in skipped.items()]
    assert [line.partition(" (")[0] for line in corpus.skipped.named] == told


def test_a_bad_first_line_does_not_mislead(read):
    corpus = read("oops\nx a 1.txt one two\nx b 2.txt three\n")
    assert (corpus.format, pairs(corpus)) == ("corpus", AB)
    assert corpus.skipped.named == ["line 1: no label"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("x a 1.txt z\n" * 3 + "x 2.txt three", "line 4: no label"),
        ("x a 1.txt z\n" * 3 + "x a 2.txt ", "line 4: no text"),
        ("label,text\na,z\n,three", "line 3: no label"),
        ("label,text\na,z\na, ", "line 3: no text"),
        ("label,text\na,z\na,b,c", "line 3: 3 fields, where the header has 2"),
        ('label,text\na,z\na,"b,c', "line 3: 3 fields, where the header has 2, and a quote is never closed"),
        ("label\ttext\na\tz\na", "line 3: 1 fields, where the header has 2"),
        ("__label__a z\n__label__a z\nz", "line 3: no label"),
        ("__label__a z\n__label__a", "line 2: no text"),
        ('{"label": "a", "text": "z"}\n{"label": "a"', "line 2: not JSON"),
        ('{"label": "a", "text": "z"}\n{"label": "a"}', "line 2: no key 'text' among label"),
        ('{"label": "a", "text": "z"}\n{"label": "a", "text": 3}', "line 2: 'text' is not a string"),
        ('{"label": "a", "text": "z"}\n{"label": null, "text": "z"}', "line 2: no label"),
        ('{"label": "a", "text": "z"}\n{"label": "\\ud800", "text": "z"}', "line 2: half of a surrogate"),
        (b"__label__a z\n__label__a \xff", "line 2: bytes that are not UTF-8"),
        (b"__label__a z\n__label__a x\0y", "line 2: NUL characters (is it text"),
        (b"__label__a z\r__label__a y\xff\r", "line 2: bytes that are not UTF-8"),
        ('{"label": "a", "text": "z"}\n{"label": NaN, "text": "z"}', "line 2: no label"),
        ('{"label": "a", "text": "z"}\n{"label": ' + "[" * 100_000, "line 2: not JSON"),
        ('{"label": "a", "text": "z"}\n{"label": ' + "1" * 10_000 + "}", "line 2: not JSON"),
        ("label,text\na,z\n" + "a," * 20_000, "line 3: more than 10,000 fields"),
        ('label,text\na,z\n"a' + '","' * 20_000 + '"', "line 3: more than 10,000 fields"),
        (b"__label__a z\n__label__\xff z", "line 2: bytes that are not UTF-8"),
    ],
)
def test_skipped(read, content, problem):
    corpus = read(content)
    assert set(pairs(corpus)) == {("a", "z")}
    assert corpus.skipped.count == 1
    assert corpus.skipped.named[0].startswith(problem)


def test_json_labels_may_be_numbers(read):
    content = '{"label": 1, "text": "z"}\n{"label": 0.5, "text": "z"}\n{"label": true, "text": "z"}\n'
    assert list(read(content).labels) == ["1", "0.5", "true"]


@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_quotes(read, delimiter):
    rows = [
        ('"he said ""no"""', 'he said "no"'),
        ('"two\nlines, and\ta tab"', "two\nlines, and\ta tab"),
        ('"open\n\n  until ""here"" "', 'open\n\n  until "here" '),
        ('"Title" is a film', '"Title" is a film'),  # not what a CSV writer makes: taken as it stands
        ('a "word" inside', 'a "word" inside'),
        ('"never closed', '"never closed'),
        ('nor "this one', 'nor "this one'),
    ]
    content = "label,text\n".replace(",", delimiter) + "".join(f"a{delimiter}{raw}\n" for raw, _ in rows)
    corpus = read(content)
    assert corpus.texts == [text for _, text in rows]
    assert corpus.skipped.count == 0


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_inside_quotes(read, ending):
    corpus = read(f'label,text{ending}a,"one{ending}two"{ending}b,three{ending}c{ending}')
    assert [text.split() for text in corpus.texts] == [["one", "two"], ["three"]]
    assert corpus.skipped.named == ["line 5: 1 fields, where the header has 2"]


def test_a_return_is_no_line_end_where_lines_end_otherwise(read):
    corpus = read("la\rbel,text,label\n1,one\rtwo,a\n2,three,b\n")
    assert corpus.texts == ["one\rtwo", "three"]


@pytest.mark.parametrize("blank", [1, 19, 20, 21, 5000])
def test_empty_lines_at_the_beginning(read, blank):
    corpus = read("\n" * blank + "__label__a one two\n__label__b three\nz")
    assert pairs(corpus) == AB
    assert corpus.skipped.named == [f"line {blank + 3}: no label"]


def test_a_long_line_at_the_beginning(read):
    with pytest.raises(AppError, match="cannot tell its format from the first line, 'a,a,"):
        read("a," * 1_000_000)
    with pytest.raises(AppError, match=r"no column 'text' nor 'label' among (a, )+"):
        read("a," * 1_000_000, format="csv")
    assert read("label,text\na," + "word " * 1_000_000).texts == ["word " * 1_000_000]


def test_more_labels_than_can_be_told_apart(read):
    content = "".join(f"__label__{i} z\n" for i in range(1001))
    with pytest.raises(
        AppError, match=r"1,001 labels such as '0', and a model has at most 1,000; .*--label-col"
    ):
        read(content)
    assert len(set(read(content.partition("\n")[2]).labels)) == 1000


class Trickle(io.RawIOBase):
    """A pipe into which someone writes a few bytes at a time."""

    def __init__(self, pieces):
        self.pieces = list(pieces)

    def readable(self):
        return True

    def readinto(self, buffer):
        piece = self.pieces.pop(0) if self.pieces else b""
        buffer[: len(piece)] = piece
        return len(piece)


def arriving(pieces, size=1 << 18, **options):
    skipped, options = Skipped("pipe"), {"limit": 1 << 20, **options}
    return list(arriving_texts(io.BufferedReader(Trickle(pieces)), skipped, size=size, **options)), skipped


def test_texts_are_given_as_they_arrive():
    batches, _ = arriving([b"one\ntwo\nth", b"ree\n", b"\n", b"four"])
    assert batches == [["one", "two"], ["three"], [""], ["four"]]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_no_line_is_lost_whatever_the_pieces(size):
    text = "\ufeffeins\r\nzwei\n\n\u2028drei\x85vier\nfünf".encode()
    batches, skipped = arriving([text[i : i + size] for i in range(0, len(text), size)], size=size)
    assert list(chain(*batches)) == ["eins", "zwei", "", "\u2028drei\x85vier", "fünf"]
    assert skipped.count == 0


@pytest.mark.parametrize("size", [pytest.param(1, marks=pytest.mark.slow), 2, 7, 1000])
@pytest.mark.parametrize("end", ["", "\r", "\r\n", "\n"])
def test_lines_that_end_with_a_return(size, end):
    # Line feeds come too late to be taken for the ends of lines, and are taken for ends all the same.
    first = "x" * 70_000
    text = f"\ufeffeins\rzwei\r\r{first}\rdrei\u2028\r\nvier\nfünf{end}".encode()
    batches, skipped = arriving([text[i : i + size] for i in range(0, len(text), size)], size=size)
    assert list(chain(*batches)) == ["eins", "zwei", "", first, "drei\u2028", "vier", "fünf"]
    assert skipped.count == 0


def test_nul_characters_keep_their_line():
    batches, skipped = arriving([b"a\nb\0\xff\nc\0d\n"])
    assert batches == [["a", "b\ufffd\ufffd", "c\ufffdd"]]
    told = ["line 2: bytes that are not UTF-8", "line 3: NUL characters (is it text, and "]
    assert [name[:40] for name in skipped.named] == told


@pytest.mark.parametrize("size", [997, 4096])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_long_lines_keep_their_beginning_and_their_place(size, end):
    limit = 100_000
    full = "x" * (limit - 4)
    lines = ["a", f"{full}123456", f"{full}123é", f"{full}12", "", f"{full}\0__67", f"{full}_\udcff__67", "b"]
    text = end.join(line.encode("utf-8", "surrogateescape") for line in lines)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    batches, skipped = arriving(pieces, size=size, limit=limit)
    cut = ["a", f"{full}1234", f"{full}123", f"{full}12", "", f"{full}\ufffd__6", f"{full}_\ufffd__", "b"]
    assert list(chain(*batches)) == cut
    too_long = "longer than 0 MiB (see FASTSVM_MAX_LINE_MIB)"
    assert skipped.named == [f"line {number}: {too_long}" for number in (2, 3, 6, 7)]


def test_a_line_without_an_end_is_not_waited_for():
    with pytest.raises(AppError, match=r"pipe, line 3: has no end within 0 MiB; is it text\?"):
        arriving([b"a\nb\n", *[b"x" * 1000] * 100], limit=1000)
