"""Texts of the message catalogues in one language."""

from __future__ import annotations

from gpu2ascend_rules.messages import catalogue, render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.targets.registry import DEFAULT
from gpu2ascend_rules.targets.target import Target


class Texts:
    """The message catalogues in one language, as they read for one target."""

    def __init__(self, language: str, route: Target = DEFAULT) -> None:
        self.language = language
        self._route = route

    def of_target(self, route: Target) -> Texts:
        """The same where code is migrated to a target."""
        return Texts(self.language, route)

    def __call__(self, message_id: str, /, **arguments: object) -> str:
        """The text of an id, filled with arguments."""
        return render(Message.of(self._route.text_id(message_id), **arguments), self.language)

    def of(self, message: Message) -> str:
        """The text of a message."""
        return render(message, self.language)

    def of_usual(self, message: Message) -> str:
        """The text of a message of which the target may have its own."""
        return self(message.id, **dict(message.arguments))

    def has(self, message_id: str) -> bool:
        """Whether the catalogue has a text of that id."""
        return message_id in catalogue(self.language)
