"""Where the cells of a notebook hold shell code, ``!`` lines, ``%pip``, ``%env``, ``%run``, ``%%bash``, and
where they are modules of Python of their own: ``%%writefile train.py``, ``%%python``.

The forms are those of IPython's manual, "Built-in magic commands"
(https://ipython.readthedocs.io/en/stable/interactive/magics.html), and ``%%shell`` of Colab.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import NamedTuple

from .magics import Hidden, commented, commented_lines, hidden_spans, line_end

_SHELL_CELL = re.compile(
    r"\s*%%(?:!|(?:bash|sh|zsh|shell|sx|system)\b|script[ \t]+(?:\S*/)?(?:bash|sh|zsh)\b"
    r"|(?:writefile|file)[ \t]+(?:-a[ \t]+)?[^\s#]+\.(?:sh|bash)\b)"
)
_MODULE_CELL = re.compile(
    r"\s*%%(?:(?:(?:python3?|pypy3?)\b|script[ \t]+(?:\S*[/\s])?(?:python|pypy)[\d.]*(?=\s))"
    r"(?![^\r\n]*[ \t]-c)"
    r"|(?:writefile|file)[ \t]+(?:(?:-a|--append)[ \t]+)?[\"']?[^\s#\"']+\.pyw?\b[\"']?)"
)
_COMMAND = re.compile(r"(?:!!?|%(?:sx|system)\b)[ \t]*")
_INSTALLER = re.compile(r"%(?=(?:pip|conda|mamba|micromamba|uv)\b)")
_RUN = re.compile(r"%(?=run[ \t])")
_VARIABLE = re.compile(r"%(?:set_)?env[ \t]+(?=[A-Za-z_])")


class Form(enum.Enum):
    """How a part is read."""

    SCRIPT = "script"
    """The body of a cell: lines of a script."""
    MODULE = "module"
    """The body of a cell: a module or script of Python that knows nothing of the notebook's names."""
    COMMAND = "command"
    """One line of shell code."""
    RUN = "run"
    """``run``, a script of Python, and its arguments."""
    VARIABLE = "variable"
    """The name of an environment variable, and its value behind ``=`` or a space."""


_FORMS = ((_COMMAND, Form.COMMAND), (_INSTALLER, Form.COMMAND), (_RUN, Form.RUN), (_VARIABLE, Form.VARIABLE))


WHOLE_CELLS = frozenset({Form.SCRIPT, Form.MODULE})
"""The forms of parts that are cells but for their first lines."""


class ShellPart(NamedTuple):
    """Shell code, or a module, in a text with cells: byte offsets, without the escape before it and the
    newline behind."""

    start: int
    end: int
    form: Form
    is_first_hidden: bool
    """Whether its first character follows ``#`` instead of its own for the parser of Python."""

    def masked(self, code: str) -> str:
        """Code of such a part as the parser of Python sees it, in as many bytes."""
        if self.form in WHOLE_CELLS:
            return commented_lines(code)
        first, newline, others = code.partition("\n")
        shown = commented(first) if self.is_first_hidden else first
        return shown + newline + commented_lines(others)


def shell_parts(text: str) -> Iterator[ShellPart]:
    """The shell code of a cell, in order; of one that is a module, that."""
    form = _form_of_cell(text)
    if form is not None:
        start = line_end(text, len(text) - len(text.lstrip()))
        if start < len(text):
            yield _part(text, start, len(text), form, is_first_hidden=True)
        return
    for span in hidden_spans(text) or ():
        yield from _of_line(text, span)


def masked_part_cell(text: str) -> str | None:
    """A cell that a magic hands to a shell, or makes a module of, with every line a comment; ``None`` for
    another."""
    return commented_lines(text) if _form_of_cell(text) is not None else None


def _form_of_cell(text: str) -> Form | None:
    if _SHELL_CELL.match(text) is not None:
        return Form.SCRIPT
    return Form.MODULE if _MODULE_CELL.match(text) is not None else None


def _of_line(text: str, span: Hidden) -> Iterator[ShellPart]:
    for pattern, form in _FORMS:
        head = pattern.match(text, span.escape, span.end)
        if head is None:
            continue
        end = len(text[: span.end].rstrip())
        if head.end() < end:
            shown = span.instead[head.end() - span.start : head.end() - span.start + 1]
            yield _part(text, head.end(), end, form, is_first_hidden=shown == "#")
        return


def _part(text: str, start: int, end: int, form: Form, *, is_first_hidden: bool) -> ShellPart:
    before = _size(text[:start])
    return ShellPart(before, before + _size(text[start:end]), form, is_first_hidden)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
