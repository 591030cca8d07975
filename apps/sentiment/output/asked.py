"""What a client asks for: the texts in the body of a request."""

import json
from http import HTTPStatus

from .http import Refusal


def asked_for(body: bytes, max_texts: int) -> tuple[list[str], bool]:
    """Return the texts in the body of a request, and whether it is one text and no list.

    Raises
    ------
    Refusal
        When it has none.
    """
    try:
        content = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"the body is not UTF-8 (byte {error.start:,})") from None
    except (ValueError, RecursionError) as error:
        raise Refusal(HTTPStatus.BAD_REQUEST, f"the body is not JSON ({error})") from None
    texts, one = content, False
    if isinstance(content, dict):
        one = "text" in content
        texts = [content["text"]] if one else content.get("texts")
    if not isinstance(texts, list):
        raise Refusal(
            HTTPStatus.BAD_REQUEST, 'send {"text": "..."}, {"texts": ["...", ...]} or a list of texts'
        )
    if len(texts) > max_texts:
        raise Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"{len(texts):,} texts, where {max_texts:,} are the most; send fewer at once",
        )
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise Refusal(HTTPStatus.BAD_REQUEST, f"text {i} is not a string")
    return texts, one
