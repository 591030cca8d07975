"""Rules of reading that hold in every format, and for every command that takes a corpus."""

import json
from unicodedata import normalize

import pytest

from fastsvm_apps.sentiment.cli import main
from fastsvm_apps.sentiment.data.corpus import read_corpus
from fastsvm_apps.sentiment.data.csv_tables import SEPARATORS
from fastsvm_apps.sentiment.data.record_formats import FORMATS
from fastsvm_apps.sentiment.data.text_source import TextSource


def lines(form):
    return lambda pairs: "".join(form.format(y, x) + "\n" for y, x in pairs)


def table(separator, names=("Label", "Text")):
    return lambda pairs: lines(f"{{}}{separator}{{}}")([names, *pairs])


# What is the same corpus in another form, and the options that read it.
ODD = {
    **{f"fasttext {b!r}": (lines(f"\t__label__{{}}{b}{{}}"), "utf-8") for b in " \t\v\f\0\r"},
    "label at the end": (lines("{1}\t__label__{0} "), "utf-8"),
    **{f"Text{s}Label": (table(s), "utf-8-sig") for s in "".join(SEPARATORS.values())},
    "other names": (table(";", ("Mood", "Review")), "utf-8", "--text-col", "REVIEW", "--label-col", "mood"),
    "UTF-16": (table("\t"), "utf-16"),
    "JSON": (lines('{{"TEXT": "{1}", "Label": " {0} "}}'), "utf-8"),
}
COMMANDS = {  # each that has --format, and what it says of a corpus
    "train": (("--alpha", 0.01, "--holdout", 0), "label_counts"),
    "evaluate": (("MODEL",), "accuracy"),
    "inspect": (("--folds", 0), "label_counts"),
    "predict": (("MODEL",), "score"),
}


@pytest.mark.parametrize(
    "command", [c.name for c in main.commands.values() if "format" in [p.name for p in c.params]]
)
@pytest.mark.parametrize("name", ODD)
def test_every_command_reads_it_alike(run, write, texts, tmp_path, model, name, command):
    form, encoding, *options = ODD[name]
    (tmp_path / "odd").write_bytes(form(texts(60)).encode(encoding))
    given, field = COMMANDS[command]
    args = [model if each == "MODEL" else each for each in given]
    for more in ((), ("--stream",)) if command == "train" else ((),):
        plain, odd = (
            [
                json.loads(line)[field]
                for line in run(command, *args, *all_of_it, *more, "--json", "-q").stdout.splitlines()
            ]
            for all_of_it in (
                (write(texts(60), "csv"),),
                (tmp_path / "odd", *options[: 2 if command == "predict" else 4]),
            )
        )
        assert plain == odd
        assert plain


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_may_have_a_byte_order_mark(write, texts, tmp_path, format, encoding):
    path = write(texts(9), format, "there")
    for file in (tmp_path / "there").rglob("*.txt") if format == "folder" else [tmp_path / "there"]:
        file.write_bytes(file.read_text().encode(encoding))
    found = read_corpus(TextSource(path, format))
    assert sorted(zip(found.labels, found.texts, strict=True)) == sorted(texts(9))


@pytest.mark.parametrize("more", [(), ("--stream",)])
def test_a_model_remembers_its_columns_and_names_labels_that_are_alike(run, write, texts, tmp_path, more):
    pairs = [(y.title() if i < 9 else y, x) for i, (y, x) in enumerate(texts(90))]
    (tmp_path / "own.csv").write_text(table(";", ("Mood", "Review"))(pairs))
    own = tmp_path / "own.csv", "--text-col", "Review", "--label-col", "Mood"
    told = run("train", *own, *more, "-o", "m.safetensors").stderr
    assert "'Neg' and 'neg', 'Pos' and 'pos' count as different labels" in told
    first, second = (run("evaluate", "m.safetensors", path).stdout for path in (own[0], write(pairs, "csv")))
    assert first == second != ""
    assert run("predict", "m.safetensors", own[0]).stdout.startswith("Mood;Review;label;score;note\n")
    assert run("predict", "m.safetensors", input="great\n").exit_code == 0
    assert "no column 'text' among" in run("predict", "m.safetensors", own[0], "--text-col", "text").stderr


@pytest.mark.parametrize("signs", ["कि की", "বি বা", "தி தா", "בֶּ בָּ", "vị vĩ", "😀 😂"])
def test_words_keep_their_marks(run, write, signs):
    """Texts that differ in a vowel sign only; of signs alone, characters are tried."""
    words, form = normalize("NFD", signs).split(), "w{} {} w{}" if signs[0].isalpha() else "{1}!"
    pairs = [("ab"[i % 2], form.format(i % 7, words[i % 2], i % 5)) for i in range(120)]
    recipe = "nb-words" if signs[0].isalpha() else "auto"
    for each in "NFC", "NFD":
        corpus = write([(y, normalize(each, x)) for y, x in pairs], "csv")
        trained = run("train", corpus, "--recipe", recipe, "--json", "-q", "-o", "m.safetensors").stdout
        assert json.loads(trained)["accuracy"] == 1
    shown = [
        run("explain", "m.safetensors", normalize(each, pairs[1][1]), "--json").stdout
        for each in ("NFC", "NFD")
    ]
    assert json.loads(shown[0])["score"] == json.loads(shown[1])["score"]
    assert words[1] in run("explain", "m.safetensors", pairs[1][1]).stdout
