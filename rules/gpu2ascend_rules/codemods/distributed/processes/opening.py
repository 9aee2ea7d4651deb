"""Files that are opened to write to them, and whether the null device will do for them."""

from __future__ import annotations

import re

from tree_sitter import Node

from ....limits.below import nodes_in
from ....text.syntax import Argument, arguments_of, enclosing, field, last_name, text_of
from ...program import Place, callee_name
from ..job import Job

OPENS = frozenset({"open", "io.open", "codecs.open", "gzip.open", "bz2.open"})
"""Functions that are given the path first, and then the mode."""
_WRITING = re.compile(r"[bu]?[\"'][bt]*[wax][bt+]*[\"']")
_TO_NOWHERE = re.compile(r"[bu]?[\"'][bt]*[wa][bt]*[\"']")
_OF_FILES_ALONE = frozenset(
    {"fsync", "fdatasync", "truncate", "ftruncate", "fileno", "mmap", "flock", "lockf"}
)  # fmt: skip
"""What a file has and the null device has not, or what may be used to ask it for such things."""


def opens_for_writing(call: Place) -> bool:
    """Whether a call opens a file to write to it: ``open(path, "w")``, ``path.open("w")``."""
    mode = _mode_of(call)
    return mode is not None and _WRITING.match(text_of(mode.value)) is not None


def may_go_nowhere(job: Job, call: Place) -> bool:
    """Whether a call opens a file only to write, so that the null device will do for a process."""
    mode = _mode_of(call) if callee_name(call) in OPENS else None
    if mode is None or _TO_NOWHERE.fullmatch(text_of(mode.value)) is None:
        return False
    return not any(_may_be_asked(use, call) for use in job.program.places("call"))


def _mode_of(call: Place) -> Argument | None:
    """The mode that a file is opened with; the ``open`` of other modules may have none."""
    if last_name(call.node) != "open":
        return None
    is_known = callee_name(call) in OPENS
    function = field(call.node, "function")
    found = call.file.names.qualified_name(function) if function is not None else None
    if not is_known and found is not None and found.binding is not None:
        return None
    return arguments_of(call.node).get("mode", 1 if is_known else 0)


def _may_be_asked(use: Place, opened: Place) -> bool:
    """Whether a call may ask an opened file for what the null device has not."""
    function = field(use.node, "function")
    if last_name(use.node) not in _OF_FILES_ALONE or text_of(function).startswith("sys."):
        return False
    own = enclosing(use.node, "with_statement")
    return own is None or _holds(own, opened.node) or not _opens_a_file(use, own)


def _opens_a_file(use: Place, statement: Node) -> bool:
    """Whether a ``with`` has a file of its own, which what is in it is about."""
    clause = statement.named_children[0]
    calls = (bound for item in clause.named_children for bound in nodes_in(item) if bound.type == "call")
    return any(opens_for_writing(Place(use.file, call)) for call in calls)


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte < outer.end_byte
