"""The output of `inspect`: tables for people, a record for --json, and the suspected texts as a CSV table."""

from collections.abc import Sequence
from dataclasses import asdict, astuple

from ...common.errors import place_of
from ...common.printing import fields, many, percent, print_heading, print_line, print_table, shortened
from ..jobs.corpus_description import CharacterStatistics, CopyStatistics, CorpusDescription, WordStatistics
from ..jobs.corpus_inspection import CorpusInspection
from ..jobs.suspect_texts import TEXT, SuspectText
from .evaluation_output import write_csv

COLUMNS = "place", "label", "suggested", "sure", "why", "text"


def inspection_record(found: CorpusInspection, seconds: dict[str, float]) -> dict:
    """Return what `inspect --json` prints."""
    corpus = found.description
    return {
        **fields(corpus, "format", "n_texts", "label_counts"),
        "lengths": [asdict(part) for part in corpus.lengths],
        "words": asdict(corpus.words),
        "exact_copies": asdict(corpus.exact),
        "near_copies": asdict(corpus.near),
        "characters": asdict(corpus.characters),
        **fields(found, "accuracy", "n_contradicted", "n_conflicts", "n_crossing"),
        "suspects": [one._asdict() for one in found.suspects],
        "skipped": corpus.skipped.count,
        "skipped_by_problem": dict(corpus.skipped.kinds),
        "seconds": seconds,
    }


def print_inspection(found: CorpusInspection, name: str, with_list: bool) -> None:
    """Print what was found, and with `with_list` each suspected text."""
    corpus = found.description
    n, n_labels = corpus.n_texts, len(corpus.label_counts)
    print_line(f"{name}: {many(n, 'text')} with {many(n_labels, 'label')}, format {corpus.format}")
    _print_labels(corpus)
    _print_words(corpus.words, n)
    print_heading("Copies")
    _print_copies(corpus.exact, "the same text")
    _print_copies(corpus.near, "the same text but for case and white space")
    _print_characters(corpus.characters, n)
    if corpus.skipped.kinds:
        print_heading("Skipped")
        rows = [(why, f"{m:,}") for why, m in corpus.skipped.kinds.most_common(10)]
        print_table(("problem", "records"), rows)
    _print_suspects(found, with_list)


def _print_labels(corpus: CorpusDescription) -> None:
    n, n_labels = corpus.n_texts, len(corpus.label_counts)
    measured = max(sum(part.label is not None for part in corpus.lengths), 1)
    more = f"... and {many(n_labels - measured, 'more label')}" if n_labels > measured else ""
    print_heading("Labels")
    shown = list(corpus.label_counts.items())[:measured]
    rows = [(shortened(label), f"{m:,}", _percent_cell(m / n)) for label, m in shown]
    _print_table_and(more, ("label", "texts", "share"), rows)
    for unit, field in ((corpus.words.unit, "tokens"), ("characters", "characters")):
        print_heading(f"Length in {unit}")
        header = ("label", "mean", "least", "25 %", "median", "75 %", "95 %", "most")
        rows = [
            (
                "(all)" if part.label is None else shortened(part.label),
                *map(_length_cell, astuple(getattr(part, field))),
            )
            for part in corpus.lengths
        ]
        _print_table_and(more, header, rows)


def _print_table_and(line: str, header: Sequence[str], rows: list[tuple[str, ...]]) -> None:
    print_table(header, rows)
    if line:
        print_line(line)


def _print_words(words: WordStatistics, n: int) -> None:
    print_heading(words.unit.capitalize())
    print_line(f"{words.total:,} {words.unit}, {words.distinct:,} distinct, {words.once:,} occur only once")
    if words.texts_without:
        places = _places_cell(words.places_without, words.texts_without)
        print_line(f"{many(words.texts_without, 'text')} without any: {places}")
    if words.frequent:
        rows = [
            (shortened(item.word), f"{item.count:,}", _percent_cell(item.texts / n))
            for item in words.frequent
        ]
        print_table(("most frequent", "times", "in texts"), rows)


def _print_copies(copies: CopyStatistics, what: str) -> None:
    if not copies.groups:
        print_line(f"{what}: none")
        return
    conflicts = f", {copies.conflicts:,} with different labels" if copies.conflicts else ""
    print_line(f"{what}: {many(copies.groups, 'group')}{conflicts}; {many(copies.spare, 'text')} to spare")
    for group in copies.named:
        size, members = group.size, group.members
        if len({member.label for member in members}) == 1:
            line = (
                f"{_places_cell([member.place for member in members], size)}: {shortened(members[0].label)}"
            )
        else:
            line = ", ".join(f"{place_of(member.place)}: {shortened(member.label)}" for member in members)
            line += _and_more(size, members)
        print_line(f"  {line}")
    if others := copies.groups - len(copies.named):
        print_line(f"  ... and {many(others, 'more group')}")


def _print_characters(characters: CharacterStatistics, n: int) -> None:
    print_heading("Characters")
    print_line(f"{characters.total:,} characters, {characters.letters:,} of them letters")
    beyond = characters.texts_beyond_ascii
    print_line(f"{many(beyond, 'text')} ({_percent_cell(beyond / n)}) with characters beyond ASCII")
    if characters.control:
        place = many(characters.texts_with_control, "text")
        print_line(f"{many(characters.control, 'control character')} in {place}")
    if characters.replacement:
        print_line(f"{many(characters.replacement, 'replacement character')}: the encoding was wrong once")
    if characters.scripts:
        rows = [(script, _percent_cell(share)) for script, share in characters.scripts.items()]
        print_table(("script", "letters"), rows)


def _print_suspects(found: CorpusInspection, with_list: bool) -> None:
    print_heading("Suspected labels")
    if found.accuracy is not None:
        contradicted = f"{many(found.n_contradicted, 'label')} ({percent(1 - found.accuracy)})"
        print_line(f"the model contradicts {contradicted}")
    print_line(f"{many(found.n_conflicts, 'text')} with another label elsewhere")
    print_line(f"{many(found.n_crossing, 'text')} to train on among the texts held out")
    if with_list and found.suspects:
        print_line("")
        rows = [
            (str(one.place), one.label, one.suggested, _sure_cell(one), one.why, shortened(one.text, TEXT))
            for one in found.suspects
        ]
        print_table(COLUMNS, rows, (0, 1, 2, 4, 5))


def write_suspects(path: str, suspects: Sequence[SuspectText]) -> None:
    """Write the suspected texts to a CSV table."""
    rows = ((one.place, one.label, one.suggested, _sure_cell(one), one.why, one.text) for one in suspects)
    write_csv(path, COLUMNS, rows)


def _sure_cell(one: SuspectText) -> str:
    return f"{one.sure:.3f}" if one.sure else ""


def _places_cell(places: list, total: int) -> str:
    lines = ("line " if total == 1 else "lines ") if isinstance(places[0], int) else ""
    return lines + ", ".join(map(str, places)) + _and_more(total, places)


def _and_more(total: int, named: list) -> str:
    return f", and {total - len(named):,} more" if total > len(named) else ""


def _length_cell(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _percent_cell(share: float) -> str:
    """Return a share in per cent; a small one is not shown as 0, nor a large one as 100."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else percent(share)
