"""Terms as people read them: characters in a row are pieces of words, and blanks are to be seen."""

WORDS, CHARACTERS = "words__", "chars__"  # what a vectorizer of both puts before its terms


def shown_term(term: str) -> str:
    """Return a term for people.

    Beside words, a piece has dots where its word goes on: `…ing`, `un…`, `…o…`. Where there are characters
    alone, a blank at its ends is a sign of its own.
    """
    if term.startswith(WORDS):
        return term.removeprefix(WORDS)
    piece = term.removeprefix(CHARACTERS)
    if piece != term and piece.strip(" "):
        return f"{'' if piece[0] == ' ' else '…'}{piece.strip(' ')}{'' if piece[-1] == ' ' else '…'}"
    inner = piece.strip(" ")
    start = len(piece) - len(piece.lstrip(" ")) if inner else len(piece)
    return "␣" * start + inner + "␣" * (len(piece) - start - len(inner))
