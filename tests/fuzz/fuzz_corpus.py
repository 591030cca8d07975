"""Fuzz the readers of labelled texts: AppError or texts; the same in other chunks, gzipped, written anew."""

import csv
import gzip
import io
import json
import sys
from types import SimpleNamespace
from unittest.mock import patch

from fastsvm_apps.common.csv_quoting import quoted
from fastsvm_apps.common.errors import AppError, Skipped
from fastsvm_apps.common.input_streams import open_binary
from fastsvm_apps.sentiment.data import record_formats
from fastsvm_apps.sentiment.data.corpus import open_unlabelled, read_corpus
from fastsvm_apps.sentiment.data.record_formats import FORMATS, read_records
from fastsvm_apps.sentiment.data.text_lines import Lines, arriving_texts
from fastsvm_apps.sentiment.data.text_source import TextSource
from fuzzing import Choices, main

FILES = [
    b"x a 1.txt one two\nx b 2.txt three\n",
    b"label\ttext\na\tone two\nb\tthree\n",
    b'text,label\r\n"one, ""two""\r\n",a\r\n"three" four,"b"\r\n',
    b'{"text": "one", "label": "a"}\n{"label": 1.5, "text": "\\ud83d\\ude00", "more": [null]}\n',
    b"__label__a one two\n__label__b three\n",
    b"\xef\xbb\xbflabel,text\rpos,caf\xc3\xa9\rneg,\xff\r",
]
SEEDS = [bytes([0, k, k]) + content for content in FILES for k in (0, 1 + FILES.index(content) % 5)]
SEEDS += [bytes([1, 0, 1]) + gzip.compress(content, mtime=0) for content in FILES[1:3]]
# Tables whose quotes stand anywhere, read along both ways; one has a column of texts alone.
SEEDS += [bytes([0, 2, 0]) + b'text\na\t"b"\n\t"c\nd"\ne\n']
SEEDS += [
    bytes([0, 1 + FORMATS.index(format), 0]) + f"label{c}text\n{rows}".replace(",", c).encode()
    for rows in ('great,a\n"c" d,"e, f"\n,"open\n', '"i ""j"" ",g\r\n"k\nl", \r\n"\r\n', '\n" ,a "b"\n1,2,3')
    for format, c in (("csv", ","), ("csv", ";"), ("tsv", "\t"))
]
SEEDS += [bytes([kind, 0]) + 'a\0one, "two"\n\n3\0b\0\'ü \t\U0001f600'.encode() for kind in (2, 3, 4)]


def target(data):
    choices = Choices(data)
    kind = choices.below(5)
    if kind < 2:
        format, others = choices.pick((None, *FORMATS[:-1])), choices.below(4) == 0
        any_bytes(choices.rest(), format, others)
    else:
        written(choices, ("csv", "tsv", "jsonl")[kind - 2])


def any_bytes(content, format, others):
    """Any file is read without a traceback, and `others`: to the same result along another way."""
    found = read(content, format)
    if not others:
        return
    if content[:2] != b"\x1f\x8b":
        assert read(gzip.compress(content, 1), format) == found, "gzipped it reads differently"
    if format in ("csv", "tsv"):
        assert rows(content, format, quick=True) == rows(content, format, quick=False), (
            "read at once it differs"
        )
    at_once, piecemeal = texts(io.BytesIO(content), 1 << 18), texts(io.BytesIO(content), 3)
    assert at_once == piecemeal, (at_once, piecemeal)


def read(content, format, separator=None):
    """What stdin has, or what is wrong with it, when all is as promised."""
    stdin, sys.stdin = sys.stdin, SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content)))
    try:
        corpus = read_corpus(TextSource("-", format, label_separator=separator))
    except AppError as error:
        check_line(str(error))
        return str(error)
    finally:
        sys.stdin = stdin
    assert len(corpus.texts) == len(corpus.labels) == len(corpus.places) > 0
    for text, label in zip(corpus.texts, corpus.labels, strict=True):
        text.encode()
        label.encode()
        # With several labels per text, a field may have a separator and no label.
        assert text.strip() and (label or not corpus.labels.exclusive) and "\0" not in text + label
    for line in corpus.skipped.report():
        check_line(line)
    return corpus.format, corpus.texts, [*corpus.labels], corpus.places, corpus.skipped.report()


def rows(content, format, quick):
    """The records of a table: as `predict` takes many at a time, and one by one."""
    stdin, sys.stdin = sys.stdin, SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(content)))
    source, skipped = TextSource("-", format, label_column=None), Skipped("stdin")
    try:
        if quick:
            with open_unlabelled(source, skipped) as found:
                return [(record.where, record.row) for block in found.blocks for record in block]
        with open_binary(source.path, source.encoding) as stream:
            lines = Lines(stream, skipped, source.max_line)
            first = next((item for item in lines if item[1].strip()), None)
            if first is None:
                return []
            lines.give_back([first])
            with patch.object(record_formats, "_rows_at_once", lambda *_: ([], 0)):
                found = read_records(lines, format, source)
                return [(record.where, record.row) for block in found.blocks for record in block]
    except AppError as error:
        return str(error)
    finally:
        sys.stdin = stdin


def check_line(message):
    assert len(message) < 1000, message


def texts(stream, size):
    skipped = Skipped("stream")
    lines = [line for lines in arriving_texts(stream, skipped, limit=1 << 24, size=size) for line in lines]
    return lines, skipped.report()


def written(choices, format):
    """Records that Python's own writers write, what a spreadsheet would run quoted, are read back."""
    ascii_only, quoting = choices.flag(), choices.pick((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    parts = choices.rest().decode("utf-8", "ignore").replace("\r", " ").split("\0")
    records = [(label.strip(), text) for label, text in zip(parts[::2], parts[1::2], strict=False)]
    records = [(label, text) for label, text in records if label and text.strip()]
    if not records:
        return
    if format == "jsonl":
        lines = (json.dumps({"label": a, "text": b}, ensure_ascii=ascii_only) for a, b in records)
        content = "\n".join(lines)
    else:
        file = io.StringIO()
        writer = csv.writer(
            file, delimiter="," if format == "csv" else "\t", lineterminator="\n", quoting=quoting
        )
        writer.writerows([("label", "text"), *(map(quoted, record) for record in records)])
        content = file.getvalue()
    found = read(content.encode(), format, separator="")
    assert list(zip(found[2], found[1], strict=True)) == records, (found, records)


if __name__ == "__main__":
    main(target, SEEDS, "csv", "json", "gzip")
