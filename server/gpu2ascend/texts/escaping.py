"""How text from a project is written in each format, so that no reader takes it for more than text.

File names, identifiers, strings, and the texts of a project's own rules come from the author of the project.
Every output goes through the function of its format; what is harmless comes out as it went in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gpu2ascend_rules.messages.visible import visible

WORD_JOINER = "\u2060"
"""Shows nothing and has no width; between two characters it keeps them from being read as one sign."""

_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\n]")
_SIGN = re.compile(r"\](?=\()|\$(?=\()")
_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")
_WORKFLOW_COMMAND = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*):(?=:)")
_MARKUP = re.compile(
    r"""
    (?P<code>`[^`\n]+`)
    | [\\*\[\]<>|~$]                          # emphasis, links, HTML, tables, icons
    | (?<![^\W_])_ | _(?![^\W_])            # emphasis; inside a word it is plain text
    | ^\s*(?:[#+=-]|\d+(?=[.)]))            # headings, lists, rules
    | `                                     # code that never ends
    | &(?=\#|\w+;)                          # entities
    | :(?=//) | @(?=\w) | (?<=\bwww)\.      # what becomes a link without brackets
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_ENTITIES = "`&:@."
"""Written as entities: a backslash before them would be shown, or would not help."""
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&\#(\d{2});")
_SARIF_MARKUP = re.compile(r"[\\\[\]]")


def csv_cell(value: str | int) -> str | int:
    """A cell that no spreadsheet takes for a formula: one that would be begins with ``'``."""
    if not isinstance(value, str):
        return value
    text = visible(value, keep="\n\t")
    return f"'{text}" if _FORMULA.match(text) else text


def terminal_line(text: str, *, styled: bool = False) -> str:
    """A line for people, on a terminal or in the log of a CI job.

    Args:
        text: The line, or several.
        styled: Sequences that set colours are ours and stay.
    """
    pieces = _STYLE.split(text) if styled else [text]
    shown = "".join(
        piece if number % 2 else visible(piece, keep="\n\t") for number, piece in enumerate(pieces)
    )
    # GitHub takes these for commands to the job, wherever a program prints them.
    return "\n".join(
        _WORKFLOW_COMMAND.sub(r"\1\\x3a", line).replace("##[", "##\\x5b") for line in shown.split("\n")
    )


def html_text(text: str) -> str:
    """A text in HTML, within an element or as the quoted value of an attribute."""
    if text.isalnum():
        return text
    from html import escape

    return escape(visible(text, keep="\n\t"), quote=True)


def log_line(text: str) -> str:
    """A text on the one line that a record of a log has."""
    return visible(text, keep="\t")


FORMAT = 1
"""Of the JSON documents that docs/schemas describes: a change that readers must know of raises it."""


def numbered(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document with the number of its format; of a list, each of its objects has it."""
    return {"format": FORMAT, **document}


def json_text(document: Any) -> str:
    """A document as JSON in ASCII, on lines of which none is a command to a CI job."""
    return json.dumps(document, indent=2).replace("##[", "##\\u005b")


def github_text(text: str) -> str:
    """The text of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def github_property(text: str) -> str:
    """The value of a property of a workflow command."""
    return github_text(text).replace(":", "%3A").replace(",", "%2C")


def sarif_text(text: str) -> str:
    """A plain text message of SARIF, in which ``[text](target)`` would be a link."""
    return _SARIF_MARKUP.sub(r"\\\g<0>", text) if "](" in text else text


def markdown(text: str) -> str:
    """A message as Markdown: words in backquotes are code, and all else is text."""
    return _MARKUP.sub(_inert, text)


def code_span(text: str) -> str:
    """A text as code within a line of Markdown."""
    return f"`{visible(text).replace('`', chr(39))}`"


def unescaped(markdown_text: str) -> str:
    """Markdown without its escapes, for a reader who sees the source."""
    return _ENTITY.sub(lambda match: chr(int(match[1])), _ESCAPED.sub(r"\1", markdown_text))


def label(text: str) -> str:
    """A text for a notification, a progress bar or a label.

    Editors make a link of ``[text](target)`` there, which may run a command, and a picture of ``$(name)``.
    """
    return _SIGN.sub(rf"\g<0>{WORD_JOINER}", text)


def _inert(match: re.Match[str]) -> str:
    found = match[0]
    if match["code"]:
        return found
    space, sign = found[: len(found) - len(found.lstrip())], found.lstrip()
    if sign in _ENTITIES:
        return f"{space}&#{ord(sign)};"
    if sign.isdigit():
        return f"{space}{sign}{WORD_JOINER}"
    return f"{space}\\{sign}"
