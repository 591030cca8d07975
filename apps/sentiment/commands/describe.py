"""`describe`: what is in a corpus."""

from dataclasses import asdict, astuple

from ...common.errors import place_of
from ...common.options import json_option
from ...common.output import (
    fields,
    many,
    note_skipped,
    percent,
    print_heading,
    print_json,
    print_line,
    print_table,
    shortened,
    tidy_warnings,
)
from ...common.progress import Stages
from ._options import command, corpus_options, number_option, tokens_option


@command("describe data/reviews.txt", "describe reviews.csv.gz --text-col review")
@corpus_options
@tokens_option
@number_option("How many of the most frequent words to show.", least=0)
@json_option
def describe(source, tokens, number, json, quiet, verbose):
    """Show labels, lengths, words, copies and characters of CORPUS.

    CORPUS is a file or a folder of labelled texts, or - for stdin; a file may be gzipped. Words are those
    that train counts, in lower case.
    """
    from ..jobs import description

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage:
        result = description.describe(source, tokens=tokens, number=number, stage=stage)
    if json:
        print_json(_record(result, stage.seconds))
    else:
        _print(result, source)
    return note_skipped(result.skipped)


def _record(result, seconds: dict[str, float]) -> dict:
    return {
        **fields(result, "format", "n_texts", "label_counts"),
        "lengths": [asdict(part) for part in result.lengths],
        "words": asdict(result.words),
        "exact_copies": asdict(result.exact),
        "near_copies": asdict(result.near),
        "characters": asdict(result.characters),
        "skipped": result.skipped.count,
        "skipped_by_problem": dict(result.skipped.kinds),
        "seconds": seconds,
    }


def _print(result, source) -> None:
    n, n_labels = result.n_texts, len(result.label_counts)
    print_line(f"{source.name}: {many(n, 'text')} with {many(n_labels, 'label')}, format {result.format}")
    measured = [part for part in result.lengths if part.label is not None]
    more = f"... and {many(n_labels - len(measured), 'more label')}" if n_labels > len(measured) > 0 else ""

    print_heading("Labels")
    shown = list(result.label_counts.items())[: max(len(measured), 1)]
    print_table(
        ("label", "texts", "share"), [(shortened(label), f"{m:,}", _percent(m / n)) for label, m in shown]
    )
    if more:
        print_line(more)

    for unit, field in ((result.words.unit, "tokens"), ("characters", "characters")):
        print_heading(f"Length in {unit}")
        header = ("label", "mean", "least", "25 %", "median", "75 %", "95 %", "most")
        rows = [
            (
                "(all)" if part.label is None else shortened(part.label),
                *map(_length, astuple(getattr(part, field))),
            )
            for part in result.lengths
        ]
        print_table(header, rows)
        if more:
            print_line(more)

    _print_words(result.words, n)
    print_heading("Copies")
    _print_copies(result.exact, "the same text")
    _print_copies(result.near, "the same text but for case and white space")
    _print_characters(result.characters, n)
    if result.skipped.kinds:
        print_heading("Skipped")
        print_table(
            ("problem", "records"), [(why, f"{m:,}") for why, m in result.skipped.kinds.most_common(10)]
        )


def _print_words(words, n: int) -> None:
    print_heading(words.unit.capitalize())
    print_line(
        f"{words.total:,} {words.unit}, {words.distinct:,} distinct, {words.once:,} of these occur once"
    )
    if words.texts_without:
        places = _places(words.places_without, words.texts_without)
        print_line(f"{many(words.texts_without, 'text')} without any: {places}")
    if words.frequent:
        rows = [
            (shortened(item.word), f"{item.count:,}", _percent(item.texts / n)) for item in words.frequent
        ]
        print_table(("most frequent", "times", "in texts"), rows)


def _print_copies(copies, what: str) -> None:
    if not copies.groups:
        print_line(f"{what}: none")
        return
    conflicts = f", {copies.conflicts:,} with different labels" if copies.conflicts else ""
    print_line(f"{what}: {many(copies.groups, 'group')}{conflicts}; {many(copies.spare, 'text')} to spare")
    for group in copies.named:
        size, members = group.size, group.members
        if len({member.label for member in members}) == 1:
            line = f"{_places([member.place for member in members], size)}: {shortened(members[0].label)}"
        else:
            line = ", ".join(f"{place_of(member.place)}: {shortened(member.label)}" for member in members)
            line += _more(size, members)
        print_line(f"  {line}")
    if rest := copies.groups - len(copies.named):
        print_line(f"  ... and {many(rest, 'more group')}")


def _print_characters(characters, n: int) -> None:
    print_heading("Characters")
    print_line(f"{characters.total:,} characters, {characters.letters:,} of these letters")
    beyond = characters.texts_beyond_ascii
    print_line(f"{many(beyond, 'text')} ({_percent(beyond / n)}) with characters beyond ASCII")
    if characters.control:
        place = many(characters.texts_with_control, "text")
        print_line(f"{many(characters.control, 'control character')} in {place}")
    if characters.replacement:
        print_line(f"{many(characters.replacement, 'replacement character')}: once decoded wrongly")
    if characters.scripts:
        rows = [(script, _percent(share)) for script, share in characters.scripts.items()]
        print_table(("script", "letters"), rows)


def _places(places: list, total: int) -> str:
    lines = ("line " if total == 1 else "lines ") if isinstance(places[0], int) else ""
    return lines + ", ".join(map(str, places)) + _more(total, places)


def _more(total: int, named: list) -> str:
    return f", and {total - len(named):,} more" if total > len(named) else ""


def _length(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _percent(share: float) -> str:
    # What is there is not shown as nothing, nor most as all.
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else percent(share)
