"""A unified diff for a terminal."""

from __future__ import annotations

from .terminal import Terminal

_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


def coloured_diff(diff: str, terminal: Terminal) -> str:
    """The diff with its lines coloured, where the terminal shows colours; else byte for byte the diff."""
    if not terminal.has_colours:
        return diff
    return "\n".join(_coloured(line, terminal) for line in diff.split("\n"))


def _coloured(line: str, terminal: Terminal) -> str:
    text = line.rstrip("\r")
    for start, style in _STYLES:
        if text.startswith(start):
            return terminal.style(text, style) + line[len(text) :]
    return line
