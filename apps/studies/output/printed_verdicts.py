"""What a study prints: each claim with its verdict, and how many of each there are."""

import shutil
import textwrap
from collections.abc import Sequence

from ...common.printing import print_heading, print_line
from .study_record import all_claims, claims_legend, claims_summary

WIDEST = 100
LABELS = 18  # characters: the longest verdict and a gap


def print_verdicts(record: dict, page: str) -> None:
    """Print the claims of a study, and where its page is."""
    print_heading(record["title"], *_wrapped_lines(record["document"]), *_wrapped_lines(record["data"]))
    for claim in record["claims"]:
        print_line("")
        parts = {
            claim["verdict"]: claim["words"],
            "  document": claim["theirs"],
            "  here": claim["ours"],
            "  why": claim["why"],
        }
        for label, words in parts.items():
            for line in _wrapped_lines(words, f"{label:<{LABELS}}", " " * LABELS):
                print_line(line)
    print_line("")
    for line in _wrapped_lines(claims_legend(record["claims"])):
        print_line(line)
    print_line(f"{claims_summary(record['claims'])}: {page}")


def print_all_verdicts(records: Sequence[dict], page: str) -> None:
    """Print a table of the claims of all studies."""
    print_heading("All studies")
    names = max([len("study"), *(len(record["study"]) for record in records)])
    for verdict, study, words in [("verdict", "study", "claim")] + [
        (claim["verdict"], record["study"], claim["words"])
        for record in records
        for claim in record["claims"]
    ]:
        first = f"{verdict:<{LABELS}}{study:<{names + 2}}"
        for line in _wrapped_lines(words, first, " " * len(first)):
            print_line(line)
    print_line("")
    print_line(f"{claims_summary(all_claims(records))}: {page}")


def _terminal_width() -> int:
    return min(shutil.get_terminal_size().columns, WIDEST)  # 80 where it is no terminal


def _wrapped_lines(text: str, first: str = "", others: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        max(_terminal_width(), 2 * LABELS),
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
    )
