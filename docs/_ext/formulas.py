"""Formulas are plain text in docstrings and pages, and typeset on the site: MathML, which needs no scripts.

A block of code such as ``P(w) = alpha/2 ||w||^2 + 1/n sum_i phi(y_i w.x_i)`` is a formula.
"""

import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

GREEK = ("alpha", "eta", "gamma", "phi", "psi", "theta")
NUMBER = r"(\([^()]*\)|\w+)"  # of a fraction
LONG = 80  # a formula with more characters takes two lines
SYMBOL = r"\b[A-Za-z]_[a-z]{1,2}\b|\bb0\b|\b(?:phi|psi)\b(?:\(\w\))?"  # in running text
LETTER = r"\(alpha n\)|\balpha\b|(?<!')\b[b-zA-Z]\b"  # where a paragraph explains a formula


def as_tex(text):
    """Return a formula in TeX."""

    def fraction(found):
        above, below = (part[1:-1] if part.startswith("(") else part for part in found.groups())
        return rf"\frac{{{above}}}{{{below}}}"

    def name(found):
        word = found[0]
        base, _, below = word.partition("_")
        if word in GREEK or word in ("exp", "log", "max", "min") or base == "sum":
            return f"\\{word} "
        if len(base) == 1:  # x_i or x_ik
            return f"{base}_{{{below}}}" if below else word
        if word[1:].isdigit():  # b0
            return f"{word[0]}_{word[1:]}"
        return rf"\text{{{word}}}"

    text = re.sub(r" {2,}", r" \\qquad ", text)
    text = re.sub(rf"{NUMBER} ?/ ?{NUMBER}", fraction, text)
    text = re.sub(r"\|\|(.+?)\|\|", r"{\\lVert \1 \\rVert}", text)
    text = re.sub(r"\|([^|]+)\|", r"\\lvert \1 \\rvert ", text)
    text = re.sub(r"(?<=[a-z])\.(?=[a-z])", r" \\cdot ", text)
    return re.sub(r"(?<!\\)\b[A-Za-z]\w*", name, text)


def typeset(app, tree):
    """Make formulas of the blocks that are some, a line each."""
    for block in [*tree.findall(nodes.literal_block)]:
        lines = block.astext().splitlines()
        if "sum_" in lines[0] and not re.search(r"<-|[`\"]|  [a-z]{3}|clip", block.astext()):
            parts = [re.sub(r" (?=\+ 1/n)", "\n", line) if len(line) > LONG else line for line in lines]
            texts = [as_tex(line.strip()) for line in "\n".join(parts).splitlines()]
            maths = [nodes.math_block(text, text, number=None, label=None, nowrap=True) for text in texts]
            block.replace_self(maths)
    if app.env.docname.startswith("reference/generated/"):
        for text in [*tree.findall(nodes.Text)]:
            typeset_symbols(text)


def typeset_symbols(text):
    """Make formulas of the symbols in a text that is neither code nor a name."""
    paragraph = text.parent
    if not isinstance(paragraph, nodes.paragraph):
        return
    explains = paragraph.astext().startswith("where ")
    parts = re.split(f"({SYMBOL}|{LETTER})" if explains else f"({SYMBOL})", text)
    if len(parts) > 1:
        shown = [nodes.Text(part) for part in parts]
        shown[1::2] = [nodes.math(part, as_tex(part)) for part in parts[1::2]]
        paragraph.replace(text, shown)


def show_math(self, node):
    """Write a formula as MathML."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=is_block)
    self.body.append(f'<div class="math">{formula}</div>' if is_block else formula)
    raise nodes.SkipNode


def setup(app):
    """Sphinx calls this."""
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
    app.connect("doctree-read", typeset)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
