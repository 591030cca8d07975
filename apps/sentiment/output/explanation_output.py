"""An explanation as `explain` prints it: the text with its words marked, and the terms of its score."""

from ...common.printing import console, fields, on_screen, print_line, printable
from ...common.sections import Section, Table, print_sections
from ..jobs.text_explanation import TextExplanation
from ..measures.term_effects import shown_term

# Shares of the largest contribution from which a word is marked once, twice and three times.
LEVELS = (0.05, 0.25, 0.6)
# Readable on dark and on light terminals; rich takes the nearest of those with fewer colours.
FOR, AGAINST = "#1f8f8b", "#d2603f"
NAMED = 10


def explanation_record(found: TextExplanation, number: int) -> dict:
    """Return what `explain --json` prints."""
    rest = found.words[number:]
    return {
        **fields(found, "label", "side", "score", "intercept"),
        "terms": [term._asdict() for term in found.words[:number]],
        "other_terms": {"n": len(rest), "contribution": sum(share for *_, share in rest)},
        "spans": [span._asdict() for span in found.spans],
        **fields(found, "n_words", "unknown", "together"),
    }


def print_explanation(text: str, found: TextExplanation, number: int) -> None:
    """Print the label, the marked text and the terms of the largest contributions.

    Parameters
    ----------
    text : str
        The text that was explained.
    found : TextExplanation
        The explanation of this text.
    number : int
        How many terms to print; the sum of the others has one line.
    """
    print_line(f"{found.label or 'no label'} (score {found.score:+.4f} for {found.side})")
    if found.spans:
        _print_marked(text, found)
    rows = [(shown_term(term), f"{count:,}", share) for term, count, share in found.words[:number]]
    if rest := found.words[number:]:
        rows.append((f"({len(rest):,} others)", "", sum(share for *_, share in rest)))
    if found.together:
        rows.append(("(terms together)", "", found.together))
    rows += [("(intercept)", "", found.intercept), ("(score)", "", found.score)]
    table = Table(("term", "times", "contribution"), [(*row, f"{share:+.4f}") for *row, share in rows])
    print_line("")
    print_sections([Section(title="Terms", tables=[table]), Section(lines=[_unknown_words_line(found)])])


def _print_marked(text: str, found: TextExplanation) -> None:
    """Print the text, marked by colours if there are any, otherwise by signs after the words."""
    from rich.text import Text

    out = console()
    coloured = out.color_system is not None
    against = f"speaks for {found.against}" if found.against else f"speaks against {found.side}"
    marked = Text()
    largest = max(abs(span.contribution) for span in found.spans)
    end = 0
    for start, stop, share in found.spans:
        level = sum(abs(share) >= part * largest > 0 for part in LEVELS)
        word = printable(text[start:stop])
        marked.append(on_screen(text[end:start].replace("\r\n", "\n")))
        signs = "" if coloured else _contribution_signs(share, level)
        marked.append(word + signs, _contribution_style(share, level) if coloured else "")
        end = stop
    marked.append(on_screen(text[end:].replace("\r\n", "\n")))
    meanings = (1, f"speaks for {printable(found.side)}"), (-1, printable(against))
    key = [Text(f"{_contribution_signs(share, 1)} {meaning}") for share, meaning in meanings]
    if coloured:
        key = [Text(meaning, _contribution_style(share, 2)) for share, meaning in meanings]
    print_line("")
    print_line("Text", "bold")
    # Where a pipe reads, lines end where those of the text do.
    out.print(marked, soft_wrap=not out.is_terminal)
    out.print(Text("   ").join(key))


def _contribution_signs(contribution: float, level: int) -> str:
    return f"[{('+' if contribution > 0 else '-') * level}]" if level else ""


def _contribution_style(contribution: float, level: int) -> str:
    colour = FOR if contribution > 0 else AGAINST
    return ("", colour, f"bold {colour}", f"bold #000000 on {colour}")[level]


def _unknown_words_line(found: TextExplanation) -> str:
    n, n_unknown = found.n_words, len(found.unknown)
    if not n:
        return "no word in the text; the intercept alone decides"
    if not n_unknown:
        return "the model knows the only word" if n == 1 else f"the model knows all {n:,} words"
    unknown = list(dict.fromkeys(found.unknown))
    shown = ", ".join(unknown[:NAMED]) + (" ..." if len(unknown) > NAMED else "")
    if n_unknown < n:
        return f"the model does not know {n_unknown:,} of {n:,} words: {shown}"
    none = "does not know the only word" if n == 1 else f"knows none of the {n:,} words"
    return f"the model {none}, so the intercept alone decides: {shown}"
