"""The message catalogues: English and Chinese texts by message id.

A catalogue is one JSON file per rule family and language, ``<language>/<family>.json``, an object from
id to text. Texts are filled with ``str.format`` by argument name.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from ..finding import Message

LANGUAGES = ("en", "zh")
_HERE = Path(__file__).parent


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> dict[str, str]:
    """Every text of a language by its id.

    Raises:
        ValueError: there is no catalogue in that language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no messages in '{language}'; languages are {', '.join(LANGUAGES)}")
    texts: dict[str, str] = {}
    for path in sorted((_HERE / language).glob("*.json")):
        texts.update(json.loads(path.read_text(encoding="utf-8")))
    return texts


def render(message: Message, language: str = "en") -> str:
    """A message's text in a language.

    Raises:
        KeyError: the catalogue lacks the id, or the text wants an argument that the message lacks.
    """
    arguments = {
        name: render(value, language) if isinstance(value, Message) else value
        for name, value in message.arguments
    }
    return catalogue(language)[message.id].format(**arguments)
