"""Values of options, from what a command line, a file of settings or an editor gives."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping

from ..model.finding import LEVELS, Message


class OptionError(ValueError):
    """An option's value is not one that the option takes; ``reason`` says so in every language."""

    def __init__(self, option: str, reason: Message) -> None:
        self.option = option
        self.reason = reason
        super().__init__(option, reason)

    def __str__(self) -> str:
        from ..messages import render  # not when only the exception's name is needed

        return f"{self.option}: {render(self.reason)}"


def unknown_option(name: str, known: Iterable[str]) -> Message:
    """What to say of a name that is no option: the one that is meant, or else all."""
    import difflib  # only a mistake needs it

    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return Message.of("option.error.unknown_close", close=close[0])
    return Message.of("option.error.unknown", known=", ".join(names))


def as_text(name: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise OptionError(name, Message.of("option.error.text", value=_shown(value)))
    return value


def as_flag(name: str, value: object) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise OptionError(name, Message.of("option.error.flag", value=_shown(value)))
    return value


def as_count(name: str, value: object) -> int:
    """A number of things, at least one; the command line gives it as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 100_000:
        raise OptionError(name, Message.of("option.error.count", value=_shown(value)))
    return value


def as_variables(name: str, value: object) -> str:
    """Variables that hold a model, such as ``model`` or ``self.model``; several, comma-separated."""
    text = as_text(name, value)
    for variable in text.split(","):
        parts = variable.strip().split(".")
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            raise OptionError(name, Message.of("option.error.variable", value=_shown(variable.strip())))
    return text


def as_texts(name: str, value: object) -> tuple[str, ...]:
    """Texts, from a list or with commas between them."""
    if isinstance(value, str):
        value = [part for part in value.split(",") if part]
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise OptionError(name, Message.of("option.error.texts", value=_shown(value)))
    return tuple(item.strip() for item in value if item.strip())


def as_severities(name: str, value: object) -> tuple[str, ...]:
    """``pattern=level`` entries, from such a list or from an object ``{pattern: level}``."""
    if isinstance(value, Mapping):
        value = [f"{pattern}={level}" for pattern, level in value.items()]
    entries = [entry.partition("=") for entry in as_texts(name, value)]
    for entry in entries:
        pattern, _, level = entry
        if not pattern.strip() or level.strip() not in LEVELS:
            choices = ", ".join(LEVELS)
            raise OptionError(
                name, Message.of("option.error.severity", value="".join(entry), choices=choices)
            )
    return tuple(f"{pattern.strip()}={level.strip()}" for pattern, _, level in entries)


def _shown(value: object) -> str:
    """A value of the wrong type; a large one is cut."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
