"""Signs of the language of a text: blanks between words, and words that a model knows."""

import re
from collections.abc import Sequence

import numpy as np

# Of the scripts that are written without blanks between words, the first and the last code point of blocks:
# The Unicode Standard, sections 16 (Thai, Lao, Myanmar, Khmer) and 18 (Han, Hiragana, Katakana).
UNSEGMENTED_BLOCKS = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
MOSTLY = 0.5  # of the letters
LOOKED_AT = 100_000  # characters at most, the first of each text


# Terms, of one word or several, that a model knows for each different word of a text. Of film reviews cut to
# eight words one in a thousand has fewer in the English model, of text messages four in a hundred, of ten
# sentences in other languages all.
FEW_KNOWN = 0.5


def count_strange_texts(texts: Sequence[str], n_terms: np.ndarray) -> int:
    """Return how many texts have mostly words that a model does not know, given how many terms it does."""
    n_words = np.array([len(set(re.findall(r"\w+", text.lower()))) for text in texts])
    return int(np.count_nonzero(n_terms < FEW_KNOWN * n_words))


def unsegmented_share(texts: Sequence[str]) -> float:
    """Return the share of characters, white space and ASCII signs aside, of scripts without blanks."""
    each = max(1, LOOKED_AT // max(len(texts), 1))
    joined = "".join(text[:each] for text in texts[:LOOKED_AT])
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = codes[(codes >= 0x80) | ((codes | 32) - 97 < 26)]
    found = sum(np.count_nonzero((letters >= low) & (letters <= high)) for low, high in UNSEGMENTED_BLOCKS)
    return float(found) / max(len(letters), 1)


def is_unsegmented(texts: Sequence[str]) -> bool:
    """Tell whether most letters of texts are of scripts without blanks between words."""
    return bool(unsegmented_share(texts) > MOSTLY)
