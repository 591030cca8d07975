"""Pages, docstrings, help texts, comments and messages use the words that readers know."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]

MANY = r"one|a line|rows|bytes|cells|\d ms|labels?|scores?|steps?|texts|values"
THING = "alpha|batch|class|column|epoch|feature|fold|image|label|line|pass|problem|row|step|text|word"
AMOUNT = "bytes|columns|epochs|passes|rounds|rows|steps|words"
# What readers stumbled over, and what to say. A blank is any white space.
RULES = {
    rf"(?<!each\s)({MANY}) an? ({THING})\b(?! (a|gets|has|may|knows|of|wants)\b)": "per",
    r"at hand\b|to be had\b": "available",
    r"com(e|es|ing) along\b": "bundled, included",
    r"(is|are|be|been|was|were) passed over\b": "ignored, skipped",
    r"whoever": "anyone who, the caller, you",
    r"needs? not trust|nothing raises|for a while we|we took": "the fact alone",
    rf"most ({AMOUNT})\b(?= (a|of each|of)\b|[:,.;])": "maximum number of",
    r"the least\b(?! (certain|recently|sure|squares))": "the smallest, lowest, minimum",
    r"least (alpha|error|gamma|gap|loss|objective|score|value)\b": "smallest, lowest, minimum",
    r"greatest": "largest, highest, maximum",
    r"in the place of\b": "instead of, in place of",
    r"(is|are|as|by|than) (that|those) of\b|(?<=[.(:;]\s)(that|those) of\b": "the noun once more",
    r"(as|for) ever\b(?! (larger|smaller))": "as usual, forever",
    r"say(s|ing)? so\b": "warns, or what it says",
    r"completely or not at all": "atomically",
    r"the article\b|the document('s)?\b": "the paper, or its name",
    r"(is|are) to choose\b|of yours\b|of your own\b": "must be chosen, your",
    r"without a message\b": "silently",
    r"(by|for|in|of|over|than|where) so (many|much)\b(?! (as|more)\b)": "this many, or the parameter's name",
    r"what (else|gains|stands)\b": "anything else, the noun",
    r"squared distance between the truth|stopping early|(it|solves) sooner\b": "Brier score, early stopping",
}
BETTER = {re.compile(r"\b" + f"({rule})".replace(" ", r"\s+"), re.IGNORECASE): RULES[rule] for rule in RULES}
BUILT = {"_build", "commands", "gallery", "generated"}
# In Python and Cython: docstrings and other strings, and comments.
WRITTEN = re.compile(r'(?s:"""(.*?)""")|"((?:\\.|[^"\\\n])*)"|#(.*)')


def prose(path):
    """The words of a file, where they stand in it; of code, a sign that no rule has."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in (".py", ".pyx"):
        return text
    kept = list(re.sub(r"[^\s]", "\0", text))
    for found in WRITTEN.finditer(text):
        start, end = found.span(found.lastindex)
        # Words go on in the next string or comment.
        kept[found.start() : found.end()] = (
            " " * (start - found.start()) + text[start:end] + " " * (found.end() - end)
        )
    return "".join(kept)


def findings(path):
    """What the rules find in a file: place, words and better ones."""
    text = prose(path)
    for rule, better in BETTER.items():
        if "studies" in path.as_posix() and "document" in rule.pattern:
            continue  # a study names its document
        for found in rule.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {' '.join(found[0].split())}: {better}"


def files():
    """Pages, sources, examples, and the words of the studies."""
    for pattern in "*.md", ".github/*.md", "benchmarks/*.md", "data/*.md", "docs/examples/*/*":
        yield from ROOT.glob(pattern)
    yield from (path for path in ROOT.glob("docs/**/*.md") if not BUILT & {*path.parts})
    for path in (path for folder in ("apps", "fastsvm") for path in (ROOT / folder).rglob("*")):
        if path.suffix in (".csv", ".html", ".md", ".py", ".pyx"):
            yield path


def test_files_are_in_plain_english():
    found = [line for path in files() for line in findings(path)]
    assert not found, "\n".join(found)


def test_what_the_rules_are_for_is_found(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    sample = tmp_path / "sample.py"
    sample.write_text(
        'x = one / a_class  # one for each\nhelp("A list of one a "\n     "class.")\n# whoever\n'
    )
    found = ["sample.py:2: one a class: per", "sample.py:4: whoever: anyone who, the caller, you"]
    assert list(findings(sample)) == found
