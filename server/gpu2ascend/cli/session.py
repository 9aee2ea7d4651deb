"""One run of the command line: the user's language, and where output goes."""

from __future__ import annotations

import sys

from ..texts.catalogue import Texts
from .output.terminal import Terminal


class Session:
    """What every command needs to talk to the user. Results go to ``out``, all else to ``err``."""

    def __init__(self, language: str) -> None:
        self.texts = Texts(language)
        self.out = Terminal(sys.stdout)
        self.err = Terminal(sys.stderr)

    def use_language(self, language: str) -> None:
        """Go on in another language, once it is known from the settings."""
        self.texts = Texts(language)

    def fail(self, text: str) -> None:
        """Report an error, in one line."""
        self._tell("cli.error.label", "red", text)

    def warn(self, text: str) -> None:
        """Report what the user should know, in one line."""
        self._tell("cli.notice.label", "yellow", text)

    def trace(self, traceback: str) -> None:
        """Print where a defect of ours was raised, if that is known."""
        self.err.lines(traceback.splitlines())

    def _tell(self, label_id: str, colour: str, text: str) -> None:
        label = self.err.style(self.texts(label_id), colour, "bold")
        self.err.line(f"gpu2ascend: {label}{' '.join(text.split())}")
