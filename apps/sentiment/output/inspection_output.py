"""The output of `inspect`: sections for a terminal, a record, and the suspected texts as a CSV table."""

from collections.abc import Sequence

from ...common.errors import place_of
from ...common.printing import and_more, fields, many, more, percent, shortened
from ...common.sections import Section, Table
from ..jobs.corpus_description import CorpusDescription
from ..jobs.corpus_inspection import CorpusInspection
from ..jobs.suspect_texts import LETTERS_SHOWN, SuspectText
from .evaluation_output import write_csv

COLUMNS = "place", "label", "suggested", "sure", "why", "text"
BEGINNING = 40  # letters of a text in the brief form


def inspection_record(found: CorpusInspection, seconds: dict[str, float]) -> dict:
    """Return what `inspect --json` prints."""
    corpus = found.description
    return {
        **fields(corpus, "format", "n_texts", "label_counts", "lengths", "words", "exact_copies"),
        **fields(corpus, "near_copies", "characters"),
        **fields(found, "accuracy", "n_contradicted", "n_conflicts", "n_crossing"),
        "suspects": [suspect._asdict() for suspect in found.suspects],
        "skipped": corpus.skipped.count,
        "skipped_by_problem": dict(corpus.skipped.kinds),
        "seconds": seconds,
    }


def inspection_sections(
    found: CorpusInspection, name: str, full: bool, suspects: Sequence[SuspectText]
) -> list[Section]:
    """Return what was found in a corpus, and these suspected texts.

    Parameters
    ----------
    found : CorpusInspection
    name : str
        Name of the corpus.
    full : bool
        Whether to list lengths, words and characters too.
    suspects : sequence of SuspectText
    """
    corpus = found.description
    n, n_labels = corpus.n_texts, len(corpus.label_counts)
    head = f"{name}: {many(n, 'text')} with {many(n_labels, 'label')}, format {corpus.format}"
    if not full:
        return [
            Section(lines=[head, _words_line(corpus), *_copy_lines(corpus), *_odd_characters(corpus)]),
            *_label_sections(corpus, full),
            _suspects_section(found, suspects, full),
        ]
    sections = [Section(lines=[head]), *_label_sections(corpus, full), _words_section(corpus)]
    sections += [Section(title="Copies", lines=_copy_lines(corpus, named=True)), _characters_section(corpus)]
    if corpus.skipped.kinds:
        rows = [(why, f"{m:,}") for why, m in corpus.skipped.kinds.most_common(10)]
        sections.append(Section(title="Skipped", tables=[Table(("problem", "records"), rows)]))
    return [*sections, _suspects_section(found, suspects, full)]


def _label_sections(corpus: CorpusDescription, full: bool) -> list[Section]:
    """Return how many texts have each label, and the lengths of the texts: medians, or all if `full`."""
    parts = corpus.lengths[1:] or corpus.lengths  # of the most frequent labels, or of the only one
    labels = list(corpus.label_counts)[: len(parts)]
    left_out = more(len(corpus.label_counts) - len(labels), "label")
    counts = [(label, corpus.label_counts[label]) for label in labels]
    rows = [[shortened(label), f"{n:,}", _percent_cell(n / corpus.n_texts)] for label, n in counts]
    if not full:
        for row, part in zip(rows, parts, strict=True):
            row += [_length_cell(part[unit]["median"]) for unit in ("tokens", "characters")]
    medians = () if full else (f"median {corpus.unit}", "characters")
    table = Table(("label", "texts", "share", *medians), rows, left_out=left_out)
    sections = [Section(title="Labels", tables=[table])]
    columns = "label", "mean", "least", "25 %", "median", "75 %", "95 %", "most"
    for unit, field in ((corpus.unit, "tokens"), ("characters", "characters")) if full else ():
        names = ["(all)", *(shortened(part["label"]) for part in corpus.lengths[1:])]
        lengths = [map(_length_cell, part[field].values()) for part in corpus.lengths]
        rows = [[name, *cells] for name, cells in zip(names, lengths, strict=True)]
        sections.append(Section(title=f"Length in {unit}", tables=[Table(columns, rows, left_out=left_out)]))
    return sections


def _words_line(corpus: CorpusDescription) -> str:
    words, unit = corpus.words, corpus.unit
    return f"{words['total']:,} {unit}, {words['distinct']:,} distinct, {words['once']:,} occur only once"


def _words_section(corpus: CorpusDescription) -> Section:
    words, lines, tables = corpus.words, [_words_line(corpus)], []
    if n := words["texts_without"]:
        places = _places_cell(words["places_without"], n)
        lines.append(f"{many(n, 'text')} without {corpus.unit}: {places}")
    if words["frequent"]:
        rows = [
            (shortened(item["word"]), f"{item['count']:,}", _percent_cell(item["texts"] / corpus.n_texts))
            for item in words["frequent"]
        ]
        tables.append(Table(("most frequent", "times", "in texts"), rows))
    return Section(title=corpus.unit.capitalize(), lines=lines, tables=tables)


def _copy_lines(corpus: CorpusDescription, named: bool = False) -> list[str]:
    """Return how many texts are copies of others and, if `named`, some of these."""
    lines = []
    kinds = (corpus.exact_copies, ""), (corpus.near_copies, " but for case and white space")
    for copies, but_for in kinds:
        groups, conflicts = copies["groups"], copies["conflicts"]
        told = f", {conflicts:,} with different labels" if conflicts else ""
        told = f"{many(groups, 'group')}{told}; {many(copies['spare'], 'text')} could be removed"
        lines.append(f"the same text{but_for}: {told if groups else 'none'}")
        if named:
            lines += [f"  {_copy_group(**group)}" for group in copies["named"]]
            if others := more(groups - len(copies["named"]), "group"):
                lines.append(f"  ... and {others}")
    return lines


def _copy_group(size: int, members: list[dict]) -> str:
    labels = {member["label"] for member in members}
    if len(labels) == 1:
        return f"{_places_cell([member['place'] for member in members], size)}: {shortened(*labels)}"
    named = ", ".join(f"{place_of(member['place'])}: {shortened(member['label'])}" for member in members)
    return named + and_more(size, len(members))


def _odd_characters(corpus: CorpusDescription) -> list[str]:
    """Return what is probably wrong with the characters, if anything is."""
    found, lines = corpus.characters, []
    if n := found["control"]:
        lines.append(f"{many(n, 'control character')} in {many(found['texts_with_control'], 'text')}")
    if n := found["replacement"]:
        lines.append(f"{many(n, 'replacement character')}: an earlier program used the wrong encoding")
    return lines


def _characters_section(corpus: CorpusDescription) -> Section:
    found, beyond = corpus.characters, corpus.characters["texts_beyond_ascii"]
    lines = [
        f"{found['total']:,} characters, {found['letters']:,} of them letters",
        f"{many(beyond, 'text')} ({_percent_cell(beyond / corpus.n_texts)}) with characters beyond ASCII",
        *_odd_characters(corpus),
    ]
    rows = [(script, _percent_cell(share)) for script, share in found["scripts"].items()]
    tables = [Table(("script", "letters"), rows)] if rows else []
    return Section(title="Characters", lines=lines, tables=tables)


def _suspects_section(found: CorpusInspection, suspects: Sequence[SuspectText], full: bool) -> Section:
    lines, tables = [], []
    if found.accuracy is not None:
        contradicted = f"{many(found.n_contradicted, 'label')} ({percent(1 - found.accuracy)})"
        lines.append(f"the model contradicts {contradicted}")
    lines.append(f"{many(found.n_conflicts, 'text')} with another label elsewhere")
    lines.append(f"{many(found.n_crossing, 'training text')} among the held-out texts")
    if suspects:
        told = "; -v lists them, -o FILE.csv writes them in full"
        left_out = "" if full else more(len(found.suspects) - len(suspects), "text", told)
        tables.append(suspects_table(suspects, LETTERS_SHOWN if full else BEGINNING, full, left_out))
    return Section(title="Suspected labels", lines=lines, tables=tables)


def suspects_table(
    suspects: Sequence[SuspectText], letters: int, full: bool = False, left_out: str = ""
) -> Table:
    """Return a table of suspected texts with `letters` letters of each; if `full`, also with the reasons."""
    columns = COLUMNS if full else (*COLUMNS[:4], "text")
    rows = [
        (str(place), label, suggested, sure, *[why] * full, shortened(text, letters))
        for place, label, suggested, sure, why, text in map(_suspect_cells, suspects)
    ]
    words = [place for place, name in enumerate(columns) if name != "sure"]
    return Table(columns, rows, words, left_out=left_out)


def write_suspects(path: str, suspects: Sequence[SuspectText]) -> None:
    """Write the suspected texts to a CSV table."""
    write_csv(path, COLUMNS, map(_suspect_cells, suspects))


def _suspect_cells(one: SuspectText) -> tuple:
    return *one[:3], f"{one.sure:.3f}" if one.sure else "", one.why, one.text


def _places_cell(places: list, total: int) -> str:
    lines = ("line " if total == 1 else "lines ") if isinstance(places[0], int) else ""
    return lines + ", ".join(map(str, places)) + and_more(total, len(places))


def _length_cell(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0")


def _percent_cell(share: float) -> str:
    """Return a share in per cent; a small one is not shown as 0, nor a large one as 100."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if 0.9995 <= share < 1 else percent(share)
