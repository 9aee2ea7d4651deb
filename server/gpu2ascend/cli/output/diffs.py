"""A unified diff for a terminal."""

from __future__ import annotations

import re

from gpu2ascend_rules.messages.visible import visible

from .terminal import Terminal

_LONE_RETURN = re.compile(r"\r(?!\n)")
"""Would let the rest of a line hide its beginning."""
_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def show_diff(diff: str, patch: bytes | None, terminal: Terminal) -> None:
    """Show a diff: to people as text, to programs the bytes that they apply."""
    binary = getattr(terminal.stream, "buffer", None)
    if patch is None or binary is None or terminal.has_colours or terminal.is_terminal:
        terminal.stream.write(coloured_diff(diff, terminal))
        return
    terminal.stream.flush()
    binary.write(patch)


def coloured_diff(diff: str, terminal: Terminal) -> str:
    """The diff as it is shown: coloured where there are colours; for a program, byte for byte the diff.

    On a terminal, what the files hold of sequences that steer one is written out.
    """
    shown = _LONE_RETURN.sub(r"\\x0d", visible(diff, keep="\n\t\f\r")) if terminal.is_terminal else diff
    if not terminal.has_colours:
        return shown
    return "\n".join(_coloured(line, terminal) for line in shown.split("\n"))


def _coloured(line: str, terminal: Terminal) -> str:
    text = line.rstrip("\r")
    for start, style in _STYLES:
        if text.startswith(start):
            return terminal.style(text, style) + line[len(text) :]
    return line
