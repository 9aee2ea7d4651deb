"""A branch of which every statement goes: its condition goes with it, as one would write it."""

from __future__ import annotations

from typing import Any

import libcst as cst

EMPTIED = "# gpu2ascend: emptied"
"""Behind the ``pass`` of a block that has nothing else left."""
_ASKING = frozenset({"device_count", "is_available", "len", "isinstance", "hasattr", "getattr", "getenv"})
"""What a condition may call and still be left out: it looks at something, and does nothing to it."""
_OPPOSITES: dict[type[cst.BaseCompOp], cst.BaseCompOp] = {
    cst.Equal: cst.NotEqual(),
    cst.NotEqual: cst.Equal(),
    cst.Is: cst.IsNot(),
    cst.IsNot: cst.Is(),
    cst.In: cst.NotIn(),
    cst.NotIn: cst.In(),
}
_OPPOSITES_OF_COUNTS: dict[type[cst.BaseCompOp], cst.BaseCompOp] = {
    cst.GreaterThan: cst.LessThanEqual(),
    cst.GreaterThanEqual: cst.LessThan(),
    cst.LessThan: cst.GreaterThanEqual(),
    cst.LessThanEqual: cst.GreaterThan(),
}
_COUNTS = frozenset({"device_count", "len"})


def nothing_left() -> cst.SimpleStatementLine:
    """What stands in a block until it is known whether the block goes as well."""
    end = cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(EMPTIED))
    return cst.SimpleStatementLine([cst.Pass()], trailing_whitespace=end)


def without_empty_branches(statement: cst.If) -> cst.If | None:
    """A chain of branches without those that have nothing left; None where nothing of it is left.

    A condition that may do something stays, and so does its ``pass``.
    """
    orelse = statement.orelse
    if isinstance(orelse, cst.If):
        orelse = without_empty_branches(orelse)
    elif orelse is not None and _is_empty(orelse.body):
        orelse = None
    statement = statement.with_changes(orelse=orelse)
    if not _is_empty(statement.body) or not _only_asks(statement.test):
        return statement
    if orelse is None:
        return None
    body = orelse.body if isinstance(orelse, cst.Else) else _nested(orelse)
    return statement.with_changes(
        whitespace_before_test=cst.SimpleWhitespace(" "),
        test=_opposite(statement.test),
        body=body,
        orelse=None,
    )


def _nested(branch: cst.If) -> cst.IndentedBlock:
    return cst.IndentedBlock([branch])


def _is_empty(body: cst.BaseSuite) -> bool:
    if not isinstance(body, cst.IndentedBlock) or len(body.body) != 1:
        return False
    line = body.body[0]
    comment = line.trailing_whitespace.comment if isinstance(line, cst.SimpleStatementLine) else None
    return comment is not None and comment.value == EMPTIED


def _only_asks(test: cst.BaseExpression) -> bool:
    """Whether nothing happens when a condition is looked at."""
    return not any(
        isinstance(node, (cst.NamedExpr, cst.Await, cst.Yield))
        or (isinstance(node, cst.Call) and _called(node) not in _ASKING and not _looks_up(node))
        for node in _nodes(test)
    )


def _looks_up(call: cst.Call) -> bool:
    """Whether a call is ``os.environ.get(…)`` or ``table.get("key")``; a queue would give an item away."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "get":
        return False
    owner: Any = call.func.value
    is_environment = getattr(getattr(owner, "attr", owner), "value", None) == "environ"
    return is_environment or (bool(call.args) and isinstance(call.args[0].value, cst.SimpleString))


def _called(call: cst.Call) -> str:
    function: Any = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return str(function.value) if isinstance(function, cst.Name) else ""


def _nodes(node: cst.CSTNode) -> list[cst.CSTNode]:
    return [node, *(inner for child in node.children for inner in _nodes(child))]


def _opposite(test: cst.BaseExpression) -> cst.BaseExpression:
    """The condition under which the other branch is gone through."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = test.expression
        return inner if inner.lpar else inner.with_changes(lpar=test.lpar, rpar=test.rpar)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        target = test.comparisons[0]
        known = {**_OPPOSITES, **(_OPPOSITES_OF_COUNTS if _counts(test.left) else {})}
        if type(target.operator) in known:
            return test.with_changes(comparisons=[target.with_changes(operator=known[type(target.operator)])])
    if isinstance(test, (cst.BooleanOperation, cst.Comparison, cst.IfExp, cst.Lambda)) and not test.lpar:
        test = test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return cst.UnaryOperation(cst.Not(), test)


def _counts(value: cst.BaseExpression) -> bool:
    """Whether a value is a number that is certainly less than, equal to or more than another."""
    return isinstance(value, cst.Call) and _called(value) in _COUNTS
