"""What a codemod does to a file, as plain data: which node, by its byte span, and what becomes of it.

Codemods find their places in the tree-sitter tree, as rules do; :mod:`.module_rewrite` carries the
operations out on the LibCST module, all in one pass, so that a call may change inside a statement that
moves below an ``if``.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from tree_sitter import Node


class OperationKind(enum.Enum):
    """What happens at a node."""

    EXPRESSION = "expression"
    """The expression becomes ``text``, in which ``$0`` means it as it is otherwise changed."""
    ARGUMENT = "argument"
    """The call becomes its argument of the name ``text``, or its first."""
    CALL = "call"
    """The call is changed by ``steps`` (:func:`gpu2ascend_rules.rewrite.calls.change_call`)."""
    BEFORE = "before"
    """Statements are put before the statement that begins there."""
    AFTER = "after"
    """Statements are put after it."""
    UNDER = "under"
    """The statement goes below the header ``text``: ``if is_main_process():``."""
    REMOVE = "remove"
    """The statement goes; where a block would become empty, ``pass`` takes its place."""
    BODY_START = "body-start"
    """Statements are put first into the body of the compound statement, after its docstring."""
    BODY_END = "body-end"
    """Statements are put last into it."""
    MODULE_TOP = "module-top"
    """Imports: after the leading imports of the module, and after its import of torch."""
    HELPERS = "helpers"
    """Definitions: after those imports."""
    MODULE_END = "module-end"
    """Statements are put at the end of the module."""


class Operation(NamedTuple):
    """One change of a node."""

    kind: OperationKind
    start: int = 0
    end: int = 0
    text: str = ""
    steps: tuple[tuple[str, str], ...] = ()

    @classmethod
    def at(
        cls, kind: OperationKind, node: Node, text: str = "", *, steps: tuple[tuple[str, str], ...] = ()
    ) -> Operation:
        """What happens at a node."""
        return cls(kind, node.start_byte, node.end_byte, text, steps)


STATEMENTS = frozenset(
    {
        OperationKind.BEFORE,
        OperationKind.AFTER,
        OperationKind.UNDER,
        OperationKind.REMOVE,
        OperationKind.BODY_START,
        OperationKind.BODY_END,
    }
)
EXPRESSIONS = frozenset({OperationKind.EXPRESSION, OperationKind.ARGUMENT, OperationKind.CALL})
