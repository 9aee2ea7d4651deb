"""Texts that say which message they are, in place of the catalogues: pages can be compared in any wording."""

from __future__ import annotations

import pytest

import gpu2ascend_rules.messages as messages


class _Text(str):
    """The id of a message, which is shown with the arguments that it is filled with."""

    def format(self, *args: object, **arguments: object) -> str:
        filled = ", ".join(f"{name}={value}" for name, value in arguments.items())
        return f"«{self}({filled})»" if filled else f"«{self}»"


class _Catalogue(dict[str, str]):
    """A text for each id that the catalogues have."""

    def __getitem__(self, message_id: str) -> str:
        return _Text(message_id) if message_id in self else super().__getitem__(message_id)


def told_catalogue(language: str) -> _Catalogue:
    """A catalogue of the product in that way, those of a target that is loaded later included."""
    return _Catalogue(messages.catalogue(language))


def tell_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every message of this process be shown as its id and its arguments."""
    monkeypatch.setattr(messages, "_shown", told_catalogue)
