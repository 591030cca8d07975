"""The output of `evaluate`: sections for a terminal and a page, a record, and the mistakes as a CSV table."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from statistics import fmean

from ...common.csv_quoting import csv_writer, table_file
from ...common.files import replace_file
from ...common.html_pages import sections_page
from ...common.printing import more, next_line
from ...common.sections import Section, Table
from ...common.statistics import shown
from ..jobs.corpus_evaluation import GROUP_COLUMNS, CorpusEvaluation
from ..measures.answer_scores import LABEL_COLUMNS
from .answer_sections import answer_sections, main_facts, mistakes_section, page_head, threshold_effects

GROUPS_LISTED = 100


def evaluation_record(result: CorpusEvaluation, seconds: dict[str, float]) -> dict:
    """Return what `evaluate --json` prints."""
    scores = result.evaluation
    record = {
        "n": scores.n,
        "learned": result.learned[result.path],
        "moved": result.watches[result.path].record,
        **scores.record,
        "balanced_accuracy": fmean(recall for recall in scores.recalls.values() if recall is not None),
        "per_label": [dict(zip(LABEL_COLUMNS, row, strict=True)) for row in scores.label_rows],
        "thresholds": [each.record() for each in scores.threshold_table()],
    }
    if result.advice is not None:
        found, _, option = result.advice
        record["recommended"] = {**found.record(), "option": option}
    if result.groups is not None:
        record["groups"] = [dict(zip(GROUP_COLUMNS, group, strict=True)) for group in result.groups]
    if result.paired is not None:
        record["paired"] = result.paired
    return {**record, "skipped": result.skipped.count, "seconds": seconds}


def evaluation_sections(result: CorpusEvaluation, full: bool = True) -> list[Section]:
    """Return how a model does; if not `full`, without curves, probabilities and a table of thresholds."""
    sections = answer_sections(result.evaluation, full=full)
    if result.advice is not None:
        found, why, option = result.advice
        about = ["On new texts, this threshold does slightly worse, because it was chosen on these texts."]
        table = threshold_effects([found], result.evaluation)
        line = f"{found.threshold:g}, {why}: predict {option}"
        sections.append(Section(title="Threshold", about=about, lines=[line], tables=[table]))
    if result.groups is not None:
        rows = [
            (value, f"{n:,}", *shown(interval, accuracy), " to ".join(shown(interval, *interval)))
            for value, n, accuracy, interval in result.groups[:GROUPS_LISTED]
        ]
        left_out = more(len(result.groups) - len(rows), "value", "; --json has all")
        table = Table(("value", "texts", "accuracy", "95 % interval"), rows, left_out=left_out)
        sections.append(Section(title="Groups", tables=[table]))
    title = "" if result.paired is None else f"Accuracy of {result.path}"
    if not full:  # the result stands last, and what to do next
        accuracy = sections.pop(0)
        sections.append(replace(accuracy, title=title, lines=[*accuracy.lines, next_line("-v")]))
    if result.paired is not None:
        sections.insert(0, _comparison(result.path, result.evaluation.accuracy, result.paired))
    return sections


def _comparison(first: str, accuracy: float, two: dict) -> Section:
    second, interval = two["model"], two["interval"]
    one, other = shown(interval, accuracy, two["accuracy"])
    difference, low, high = shown(interval, two["difference"], *interval, sign="+")
    p_value = f"p {'= ' if two['p_value'] else '< '}{two['p_value'] or 1e-300:.3g}"
    lines = [
        ("", first, f": accuracy {one}"),
        ("", second, f": accuracy {other}"),
        f"difference {difference} (95 % interval {low} to {high})",
        f"only the first is right: {two['only_first']:,}, only the second: {two['only_second']:,}",
        f"McNemar's exact test: {p_value}",
    ]
    about = ["p: the probability of a split at least as uneven if both models were equally good."]
    return Section(title="Comparison", about=about, lines=lines)


def write_evaluation_report(path: str | os.PathLike[str], result: CorpusEvaluation, corpus: str) -> None:
    """Write the page about a model on a corpus and its mistakes."""
    scores, warnings = result.evaluation, [*result.warnings, *result.evaluation.warnings]
    counts = {"texts": scores.n, "mistakes": len(scores.mistakes)}
    about = f"fastsvm {version('fastsvm')}"
    head = page_head(about, main_facts(scores)[:1], counts, result.skipped.count, warnings)
    sections = [*evaluation_sections(result), mistakes_section(result.model, scores)]
    replace_file(path, sections_page(("", result.path, " on ", corpus), head, sections).encode())


def write_mistakes(path: str | os.PathLike[str], result: CorpusEvaluation) -> None:
    """Write the texts with a wrong label as a CSV table, the largest margin first."""
    scores, rows = result.evaluation, []
    for i in scores.mistakes.tolist():
        k = scores.doubted_label(i)
        score = scores.decision[i] if scores.decision.ndim == 1 else scores.decision[i, k]
        share = "" if scores.probabilities is None else f"{scores.probabilities[i, k]:.6g}"
        answer = scores.truth.spelled[i], scores.given.spelled[i], f"{score:.6g}", share
        rows.append((result.places[i], *answer, scores.texts[i]))
    write_csv(path, ("place", "label", "predicted_label", "score", "probability", "text"), rows)


def write_csv(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Write a CSV table that spreadsheets can open; the file is replaced atomically."""
    with table_file(path) as file:
        csv_writer(file)(header, *rows)
