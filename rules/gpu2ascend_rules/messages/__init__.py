"""The message catalogues: English and Chinese texts by message id.

A catalogue is one JSON file per rule family and language, ``<language>/<family>.json``, an object from
id to text. Texts are filled with ``str.format`` by argument name. A text that is not translated yet is shown
in English, so that a rule can land before its translation; ``make untranslated`` lists what is missing.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from ..model.finding import Message, OptionName
from .visible import visible

LANGUAGES = ("en", "zh")
FALLBACK = "en"
"""The language of a text that the chosen language lacks. It has every text."""
_FOLDERS = [Path(__file__).parent]


def add_catalogues(folder: Path) -> None:
    """Add a folder of catalogues to those that are looked in."""
    _FOLDERS.append(folder)
    forget()


def forget() -> None:
    """Let the catalogues be read anew, from the folders of now."""
    catalogue.cache_clear()
    translated.cache_clear()


def folders() -> tuple[Path, ...]:
    """The folders that hold catalogues."""
    return tuple(_FOLDERS)


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> dict[str, str]:
    """The text to show for each id: in the language if it is translated, else in :data:`FALLBACK`.
    Raises ValueError: there is no catalogue in that language."""
    texts = translated(language)
    return texts if language == FALLBACK else {**catalogue(FALLBACK), **texts}


@lru_cache(maxsize=len(LANGUAGES))
def translated(language: str) -> dict[str, str]:
    """The texts that exist in a language, by id.
    Raises ValueError: there is no catalogue in that language."""
    if language not in LANGUAGES:
        raise ValueError(f"no messages in '{language}'; languages are {', '.join(LANGUAGES)}")
    texts: dict[str, str] = {}
    for folder in _FOLDERS:
        for path in sorted((folder / language).glob("*.json")):
            texts.update(json.loads(path.read_text(encoding="utf-8")))
    return texts


_shown = catalogue
"""What is rendered. Tests replace it alone: a module that is imported meanwhile must get the real texts."""


def render(message: Message, language: str = "en", *, in_form: bool = False) -> str:
    """A message's text in a language. Its arguments come from the project: what is not seen is written out.

    Args:
        message: What is to be rendered.
        language: One of :data:`LANGUAGES`.
        in_form: Options are called by the titles of a form's fields, not by the flags of the command line.

    Raises:
        KeyError: no catalogue has the id, or the text wants an argument that the message lacks.
    """
    texts = _shown(language)

    def rendered(value: str | Message | OptionName) -> str:
        if isinstance(value, Message):
            return render(value, language, in_form=in_form)
        if isinstance(value, OptionName):
            return texts["option.in-form"].format(title=texts[value.title_id]) if in_form else value.flag
        return visible(value, keep="\n\t")

    return texts[message.id].format(**{name: rendered(value) for name, value in message.arguments})
