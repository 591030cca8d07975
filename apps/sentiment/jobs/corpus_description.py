"""Statistics of a corpus: labels, lengths, words, copies and characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from fastsvm.text import has_markup

from ..data.corpus import Corpus
from ..learning import pipeline_steps
from ..settings import Settings
from ..text_recipes import usual_tokens
from .suspect_texts import groups_of_equals

LABELS_MEASURED = 20  # the most frequent labels have their lengths measured one by one
LENGTH_COLUMNS = "mean", "minimum", "quartile_1", "median", "quartile_3", "percentile_95", "maximum"
GROUPS_NAMED = 5
MEMBERS_NAMED = 5
BATCH_TEXTS, BATCH_CHARACTERS = 1000, 1 << 20  # texts joined and characters counted at once
CODE_POINTS = 0x110000

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # a text may have tabs and line ends

# The most common scripts. The Unicode name of a letter begins with its script, or has it after a word such as
# FULLWIDTH.
_SCRIPTS = {
    **{name.upper(): name for name in ("Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew")},
    **{name.upper(): name for name in ("Arabic", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil")},
    **{name.upper(): name for name in ("Telugu", "Kannada", "Malayalam", "Sinhala", "Thai", "Lao", "Khmer")},
    **{name.upper(): name for name in ("Myanmar", "Tibetan", "Ethiopic", "Hangul", "Hiragana", "Katakana")},
    **dict.fromkeys(("CJK", "IDEOGRAPHIC"), "Chinese characters"),
}


class CorpusDescription:
    """The labels, lengths, words, copies and characters of a corpus; `inspect --json` prints the dicts.

    Parameters
    ----------
    corpus : Corpus
    tokens : {"words", "split"}, optional
        How texts are cut into words.
    number : int
        Number of the most frequent words to list.

    Attributes
    ----------
    label_counts : dict
        Number of texts with each label, the most frequent first.
    lengths : list of dict
        For all texts, under the label None, and for the texts of each label: `n_texts`, and the
        `LENGTH_COLUMNS` in `tokens` and in `characters`.
    words : dict
        The words as `train` counts them, how many of them occur `once`, the most `frequent`, and the texts
        without words.
    exact_copies, near_copies : dict
        `groups` of equal texts; near copies may differ in case and white space. `spare` texts could be
        removed, leaving one per group; `conflicts` are groups with several labels. Some groups are `named`,
        conflicts first, then the largest.
    characters : dict
        Counts over all texts, with the share of each script among the letters, the largest first.
    skipped : Skipped
    unit : str
        The unit of lengths: words or tokens.
    labels : TextLabels
        The labels of the texts, with names in the order of `label_counts`.
    about_labels : list of str
        What to tell the user about the labels, if texts have several.
    token_counts, character_counts : ndarray
        The lengths of each text.
    """

    def __init__(self, corpus: Corpus, tokens: str | None = None, number: int = 20) -> None:
        self.format, self.n_texts, self.skipped = corpus.format, len(corpus.texts), corpus.skipped
        counts = corpus.labels.label_counts
        self.label_counts = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        self.labels = corpus.labels.named(np.array([*self.label_counts]))
        self.about_labels = corpus.about_labels
        tokens = tokens or usual_tokens(corpus.format)
        self.unit = "tokens" if tokens == "split" else "words"
        self.words, self.token_counts = _word_statistics(corpus, tokens, number)
        self.character_counts = np.array([len(text) for text in corpus.texts])
        self.lengths = _lengths_by_label(self)
        self.exact_copies, self.near_copies = _exact_and_near_copies(corpus)
        self.characters = _character_statistics(corpus.texts)


def _word_statistics(corpus: Corpus, tokens: str, number: int) -> tuple[dict, np.ndarray]:
    """Return the words, and how many there are in each text."""
    settings = Settings(tokens=tokens, ngrams=(1, 1), min_df=1, markup=any(map(has_markup, corpus.texts)))
    vectorizer = pipeline_steps.vectorizer(settings)
    try:
        X = vectorizer.fit_transform(corpus.texts)
    except ValueError:  # there is no word at all
        lengths = np.zeros(len(corpus.texts), np.int64)
        counts = texts = lengths[:0]
        names = np.empty(0, object)
    else:
        lengths = np.asarray(X.sum(axis=1)).ravel()
        counts = np.asarray(X.sum(axis=0)).ravel()
        texts = np.bincount(X.indices, minlength=X.shape[1])
        names = vectorizer.get_feature_names_out()
    best = np.argsort(-counts, kind="stable")[:number]
    without = np.flatnonzero(lengths == 0)
    words = {
        "tokens": tokens,
        "total": int(counts.sum()),
        "distinct": len(counts),
        "once": int((counts == 1).sum()),
        "frequent": [
            {"word": str(names[i]), "count": int(counts[i]), "texts": int(texts[i])} for i in best.tolist()
        ],
        "texts_without": len(without),
        "places_without": [corpus.places[i] for i in without[:MEMBERS_NAMED]],
    }
    return words, lengths


def _lengths_by_label(corpus: CorpusDescription) -> list[dict]:
    parts = [(None, slice(None))]
    if len(corpus.label_counts) > 1:
        labels = list(corpus.label_counts)[:LABELS_MEASURED]
        parts += [(label, corpus.labels.has(code)) for code, label in enumerate(labels)]
    units = {"tokens": corpus.token_counts, "characters": corpus.character_counts}
    return [
        {"label": label, "n_texts": len(corpus.token_counts[part])}
        | {unit: _length_statistics(lengths[part]) for unit, lengths in units.items()}
        for label, part in parts
    ]


def _length_statistics(lengths: np.ndarray) -> dict[str, float]:
    quartiles = np.percentile(lengths, (25, 50, 75, 95)).tolist()
    numbers = float(lengths.mean()), int(lengths.min()), *quartiles, int(lengths.max())
    return dict(zip(LENGTH_COLUMNS, numbers, strict=True))


def _exact_and_near_copies(corpus: Corpus) -> tuple[dict, dict]:
    """Return the exact copies, and the texts that differ only in case and white space."""
    distinct, groups = groups_of_equals(enumerate(corpus.texts))
    # A hash is enough to tell texts apart, and smaller than a text.
    squeezed = ((i, hash(" ".join(corpus.texts[i].lower().split()))) for i in distinct)
    return _copy_statistics(groups, corpus), _copy_statistics(groups_of_equals(squeezed)[1], corpus)


def _copy_statistics(groups: list[list[int]], corpus: Corpus) -> dict:
    labels = [*corpus.labels]
    conflicting = [len({labels[i] for i in group}) > 1 for group in groups]
    order = sorted(range(len(groups)), key=lambda number: (not conflicting[number], -len(groups[number])))
    return {
        "groups": len(groups),
        "spare": sum(map(len, groups)) - len(groups),
        "conflicts": sum(conflicting),
        "named": [_copy_group(groups[number], corpus.places, labels) for number in order[:GROUPS_NAMED]],
    }


def _copy_group(numbers: list[int], places: list[int | str], labels: list[str]) -> dict:
    """Name the first text of each label, and then the first of the others."""
    first = {labels[i]: i for i in reversed(numbers)}
    named = sorted(numbers, key=lambda i: first[labels[i]] != i)[:MEMBERS_NAMED]
    members = [{"place": places[i], "label": labels[i]} for i in sorted(named)]
    return {"size": len(numbers), "members": members}


def _character_statistics(texts: Sequence[str]) -> dict:
    counts = np.zeros(CODE_POINTS, np.int64)
    for batch in _character_batches(texts):
        counts += np.bincount(np.frombuffer(batch.encode("utf-32-le"), "<u4"), minlength=CODE_POINTS)
    scripts: Counter[str] = Counter()
    control = 0
    for code in np.flatnonzero(counts).tolist():
        letter = chr(code)
        if letter.isalpha():
            scripts[_script_of_letter(letter)] += int(counts[code])
        elif _CONTROL.match(letter):
            control += int(counts[code])
    letters = scripts.total()
    return {
        "total": int(counts.sum()),
        "letters": letters,
        "scripts": {script: count / letters for script, count in scripts.most_common()},
        "texts_beyond_ascii": sum(not text.isascii() for text in texts),
        "control": control,
        "texts_with_control": sum(map(bool, map(_CONTROL.search, texts))) if control else 0,
        "replacement": int(counts[0xFFFD]),
    }


def _character_batches(texts: Sequence[str]) -> Iterator[str]:
    """Yield all characters, at most `BATCH_CHARACTERS` at once, for texts of any length."""
    for first in range(0, len(texts), BATCH_TEXTS):
        joined = "".join(texts[first : first + BATCH_TEXTS])
        for start in range(0, len(joined), BATCH_CHARACTERS):
            yield joined[start : start + BATCH_CHARACTERS]


def _script_of_letter(letter: str) -> str:
    if letter.isascii():
        return "ASCII"
    words = unicodedata.name(letter, "").replace("-", " ").split()
    script = next((_SCRIPTS[word] for word in words if word in _SCRIPTS), "other")
    return "Latin beyond ASCII" if script == "Latin" else script
