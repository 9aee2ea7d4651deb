"""Which language the user reads, and texts in it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from gpu2ascend_rules.messages import LANGUAGES, catalogue, render
from gpu2ascend_rules.model.finding import Message

from .errors import UsageError

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


class Texts:
    """The message catalogues in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, message_id: str, /, **arguments: object) -> str:
        """The text of an id, filled with arguments."""
        return render(Message.of(message_id, **arguments), self.language)

    def of(self, message: Message) -> str:
        """The text of a message."""
        return render(message, self.language)

    def has(self, message_id: str) -> bool:
        """Whether the catalogue has a text of that id."""
        return message_id in catalogue(self.language)


def language_of_environment(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the user's locale: the first of the locale's variables that is set decides."""
    for variable in _LOCALE_VARIABLES:
        value = environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def choose_language(*wishes: str | None) -> str:
    """The first language wished for, else that of the environment.

    Raises:
        UsageError: there are no texts in that language.
    """
    for wish in wishes:
        if wish:
            if wish not in LANGUAGES:
                raise UsageError("cli.error.language", language=wish, known=", ".join(LANGUAGES))
            return wish
    return language_of_environment()


def language_flag(arguments: Iterable[str]) -> str | None:
    """The value of ``--language`` among arguments that are not parsed yet.

    Help texts and the parser's own errors need the language before there is anything parsed.
    """
    value: str | None = None
    expected = False
    for argument in arguments:
        if expected:
            value, expected = argument, False
        elif argument == "--":
            break
        elif argument == "--language":
            expected = True
        elif argument.startswith("--language="):
            value = argument.partition("=")[2]
    return value
