"""Is a text Python 3? What tree-sitter accepts is more than that, and what one Python accepts is less.

A file is *unparsable* when both ``ast`` of the running Python and LibCST reject it: LibCST knows syntax
that is newer than an old Python, and ``ast`` takes what LibCST cannot.

The tree of ``ast`` is not needed, and to make it takes longer than to parse. So the compiler's symbol
table is asked first: it comes of the same parse, costs two thirds, and refuses more. What it
refuses, ``ast`` decides.
"""

from __future__ import annotations

import ast
import gc
import re
import symtable
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

from gpu2ascend_rules.hosting import is_deeper_than, may_concern
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.limits.checkpoints import MAX_NESTING
from gpu2ascend_rules.model.custom_rule import may_concern_custom
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

# LibCST's parser is recursive native code: text that is deep or has endless lines can end the process
# or take minutes, so it is not asked. Code that people write stays far below these.
_MAX_DEPTH = 200
_MAX_OPEN_BRACKETS = 100
_MAX_LINE = 2_000

_OF_PYTHON_2 = re.compile(
    rb"^[ \t]*(?:(?:print|exec)[ \t]+[^\s(=]|print[ \t]*>>|except[ \t]+[^\n:,()]+,[ \t]*\w+[ \t]*:"
    rb"|raise[ \t]+[\w.]+[ \t]*,)",
    re.MULTILINE,
)
"""Statements that the tree takes without an error."""
_ASYNC = re.compile(r"\basync[ \t]*=(?!=)")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def syntax_problem(source: SourceFile) -> Message | None:
    """Why a file is no Python 3 that anything of ours can read; None if it is."""
    if "\0" in source.text:
        return Message.of("project.nul-bytes", line=_line_of_nul(source.text))
    try:
        with _quietly():
            if not _has_symbols(source.text):
                ast.parse(source.text)
    except (RecursionError, MemoryError):
        # Says that the text is deep, not that it is wrong; the tree knows the latter.
        return Message.of("project.too-deep") if source.has_syntax_error else None
    except (SyntaxError, ValueError) as error:
        if _libcst_accepts(source):
            return None
        line = getattr(error, "lineno", None) or 1
        reason = _reason(error, source.text.splitlines()[line - 1 : line])
        return Message.of("project.unparsable", line=line, reason=reason)
    return None


def _reason(error: Exception, lines: list[str]) -> Message | str:
    """What is wrong with a line: of an argument ``async``, as torch had one, Python only says that it is."""
    if any(map(_ASYNC.search, lines)):
        return Message.of("project.async-keyword")
    return getattr(error, "msg", None) or str(error)


def has_only_async(source: SourceFile) -> bool:
    """Whether arguments ``async`` of calls alone keep a file from being Python 3: a fix renames them."""
    text = _ASYNC.sub("non_blocking=", source.text) if not source.has_syntax_error else source.text
    return text != source.text and syntax_problem(SourceFile(text, source.path)) is None


def may_be_broken(source: SourceFile) -> bool:
    """Whether a file may be no Python 3, as its tree and a search of its text show cheaply."""
    return source.has_syntax_error or _OF_PYTHON_2.search(source.data) is not None


def is_broken(source: SourceFile) -> bool:
    """Whether a file is no Python 3."""
    return may_be_broken(source) and syntax_problem(source) is not None


def kind_problem(file: KindFile) -> Message | None:
    """Why nothing of a file beside Python can be examined; None where it is, in parts at least."""
    if "\0" in file.text and not file.kind.is_searched:
        return Message.of("project.nul-bytes-text", line=_line_of_nul(file.text))
    return Message.of("project.broken-file") if file.is_broken else None


def _line_of_nul(text: str) -> int:
    return text.count("\n", 0, text.index("\0")) + 1


def nesting_problem(source: SourceFile, options: MigrationOptions) -> Message | None:
    """That a part of a file that may matter nests too deeply to be examined; None if there is none."""
    if not _may_matter(source.data, options):
        return None
    parts = (part for part in source.deep_parts if _may_matter(source.data[slice(*part)], options))
    part = next(parts, None)
    if part is None:
        return None
    line = source.lines.line_of(part[0]) + 1
    return Message.of("project.nested", line=line, limit=MAX_NESTING)


def _may_matter(data: bytes, options: MigrationOptions) -> bool:
    return may_concern(data, options.route) or may_concern_custom(data, options.custom)


def _has_symbols(text: str) -> bool:
    """Whether the compiler gets as far as the names of a text, which it does not without a valid syntax."""
    try:
        symtable.symtable(text, "<text>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the compiler's warnings, such as for an escape in a string; and without the
    garbage collector, which costs a tenth and finds nothing in a tree that is about to go as a whole.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if was_enabled:
            gc.enable()


def _libcst_accepts(source: SourceFile) -> bool:
    if not _is_harmless(source):
        return False
    import libcst  # a tenth of a second, for the rare file that ast rejects

    try:
        libcst.parse_module(source.text)
    except Exception:
        # ParserSyntaxError for wrong text; the native tokenizer has other ways to give up.
        return False
    return True


def _is_harmless(source: SourceFile) -> bool:
    """Whether LibCST can be let near a text. Its brackets count, too: a tree with errors may be flat."""
    spans = map(source.lines.line_span, range(source.lines.line_count))
    if any(end - start > _MAX_LINE for start, end in spans):
        return False
    steps = (_BRACKETS[char] for char in source.text if char in _BRACKETS)
    if any(depth > _MAX_OPEN_BRACKETS for depth in accumulate(steps)):
        return False
    return not is_deeper_than(source.root, _MAX_DEPTH)
