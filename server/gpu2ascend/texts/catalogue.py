"""Texts of the message catalogues in one language."""

from __future__ import annotations

from gpu2ascend_rules.messages import catalogue, render
from gpu2ascend_rules.model.finding import Message


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
