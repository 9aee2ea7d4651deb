"""Which language the user reads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from gpu2ascend_rules.messages import LANGUAGES

from .errors import UsageError

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_of_environment(environ: Mapping[str, str] = os.environ) -> str:
    """The language of the user's locale: the first of the locale's variables that is set decides."""
    for variable in _LOCALE_VARIABLES:
        value = environ.get(variable)
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def choose_language(*preferences: str | None) -> str:
    """The first preference that is given, else that of the environment.
    Raises UsageError: there are no texts in that language."""
    for language in preferences:
        if language:
            if language not in LANGUAGES:
                raise UsageError("cli.error.language", language=language, known=", ".join(LANGUAGES))
            return language
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
