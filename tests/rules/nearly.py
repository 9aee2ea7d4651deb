"""Programs that nearly are a given one: they differ in one statement, argument, name, value or comparison.

A person who writes tests thinks of the usual neighbours of a piece of code. These are made by a few changes
wherever each of them is possible, so that there are also those that nobody thought of.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import NamedTuple

_OPPOSITES = {
    ast.Eq: (b"==", b"!="),
    ast.NotEq: (b"!=", b"=="),
    ast.Is: (b"is", b"is not"),
    ast.IsNot: (b"is not", b"is"),
    ast.In: (b"in", b"not in"),
    ast.NotIn: (b"not in", b"in"),
    ast.Lt: (b"<", b">="),
    ast.LtE: (b"<=", b">"),
    ast.Gt: (b">", b"<="),
    ast.GtE: (b">=", b"<"),
}


class Near(NamedTuple):
    """A program, and its name among those that nearly are the same program."""

    name: str
    text: str


class _Change(NamedTuple):
    kind: str
    start: int
    end: int
    text: bytes


def nearly(text: str) -> Iterator[Near]:
    """The programs that differ from one in a point. Python can compile each of them."""
    if (module := parsed(text)) is None:
        return
    data = text.encode()
    counts: dict[str, int] = {}
    for change in sorted(set(_Changes(data).of(module)), key=lambda item: (item.start, item.end, item)):
        made = (data[: change.start] + change.text + data[change.end :]).decode()
        if parsed(made) is not None:
            counts[change.kind] = counts.get(change.kind, 0) + 1
            yield Near(f"{change.kind}-{counts[change.kind]}", made)
    yield from _as_a_whole(text)


def nearly_lines(text: str) -> Iterator[Near]:
    """Files of another kind that differ from one in a line: it is missing, there twice, or has a comment."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        before, after = "".join(lines[:number]), "".join(lines[number + 1 :])
        content = line.rstrip("\n")
        yield Near(f"without-{number + 1}", before + after)
        yield Near(f"twice-{number + 1}", f"{before}{content}\n{line}{after}")
        yield Near(f"noted-{number + 1}", f"{before}{content}  # note\n{after}")
        yield Near(f"comment-{number + 1}", f"{before}# {line}{after}")


def parsed(text: str) -> ast.Module | None:
    """The tree of a program; None of one that Python cannot compile."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "", "exec", dont_inherit=True)
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


def _as_a_whole(text: str) -> Iterator[Near]:
    """The whole program in a function, under a condition, and with notes behind its lines."""
    indented = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
    for name, head in (("function", "def run(args):\n"), ("condition", "if args.fast:\n")):
        if parsed(head + indented) is not None:
            yield Near(name, head + indented)
    lines = text.splitlines()
    same = ast.dump(ast.parse(text))
    for number, line in enumerate(lines):
        noted = "\n".join([*lines[:number], f"{line}  # note", *lines[number + 1 :], ""])
        if line.strip() and (tree := parsed(noted)) is not None and ast.dump(tree) == same:
            yield Near(f"noted-{number + 1}", noted)


class _Changes:
    """The changes that are possible in a program."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts = [0]
        for line in data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def of(self, node: ast.AST) -> Iterator[_Change]:
        """Those of a node and of what is below it; before Python 3.12 an f-string has no positions."""
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.stmt):
            yield from self._of_statement(node)
        elif isinstance(node, ast.expr):
            yield from self._of_expression(node)
        for child in ast.iter_child_nodes(node):
            yield from self.of(child)

    def _of_statement(self, node: ast.stmt) -> Iterator[_Change]:
        start, end = self._span(node)
        decorators = getattr(node, "decorator_list", [])
        first = min([start, *(self._span(item)[0] - 1 for item in decorators)])
        yield _Change("without", first, end, b"pass")
        indent = self._data[self._starts[node.lineno - 1] : start]
        if not indent.strip() and node.lineno == node.end_lineno:
            conditional = b"if args.fast:\n" + indent + b"    " + self._data[start:end]
            yield _Change("conditional", start, end, conditional)
        for item in decorators:
            line, behind = self._span(item)[0] - 1, self._span(item)[1]
            yield _Change("undecorated", line, behind, b"# plain")

    def _of_expression(self, node: ast.expr) -> Iterator[_Change]:
        start, end = self._span(node)
        if isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Attribute):
            yield _Change("attribute", end - len(node.attr.encode()), end, node.attr.encode() + b"_other")
        elif isinstance(node, ast.Constant):
            yield from self._of_constant(node)
        elif isinstance(node, ast.Compare):
            for left, operator, right in zip(
                [node.left, *node.comparators], node.ops, node.comparators, strict=False
            ):
                old, new = _OPPOSITES[type(operator)]
                yield from self._between("opposite", left, right, old, new)
        elif isinstance(node, ast.BoolOp):
            old, new = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self._between("junction", left, right, old, new)
        elif isinstance(node, ast.List | ast.Tuple) and node.elts:
            yield _Change("unknown", *self._span(node.elts[0]), b"given")
        if isinstance(node, ast.IfExp):
            yield _Change("choice", start, end, self._text(node.body))

    def _of_call(self, node: ast.Call) -> Iterator[_Change]:
        start, end = self._span(node)
        callee = self._text(node.func)
        given = sorted([*node.args, *node.keywords], key=lambda item: self._span(item)[0])
        texts = [self._text(item) for item in given]
        if isinstance(node.func, ast.Attribute | ast.Name):
            yield _Change("uncalled", start, end, callee)
        for at, (item, text) in enumerate(zip(given, texts, strict=True)):
            others = [*texts[:at], *texts[at + 1 :]]
            name = item.arg.encode() + b"=" if isinstance(item, ast.keyword) and item.arg else b""
            if isinstance(item, ast.GeneratorExp):
                continue
            yield _Change("lacking", start, end, callee + b"(" + b", ".join(others) + b")")
            if not text.startswith(b"*"):
                unknown = [*texts[:at], name + b"given", *texts[at + 1 :]]
                yield _Change("unknown", start, end, callee + b"(" + b", ".join(unknown) + b")")
        if not any(isinstance(item, ast.GeneratorExp) for item in given):
            yield _Change("packed", start, end, callee + b"(" + b", ".join([b"*given", *texts]) + b")")
            yield _Change("named", start, end, callee + b"(" + b", ".join([*texts, b"**given"]) + b")")

    def _of_constant(self, node: ast.Constant) -> Iterator[_Change]:
        start, end = self._span(node)
        match node.value:
            case bool():
                yield _Change("value", start, end, repr(not node.value).encode())
            case int():
                yield _Change("value", start, end, repr(node.value + 1).encode())
            case str():
                yield _Change("value", start, end, repr(f"{node.value}x").encode())
            case None:
                yield _Change("value", start, end, b"given")

    def _between(
        self, kind: str, left: ast.expr, right: ast.expr, old: bytes, new: bytes
    ) -> Iterator[_Change]:
        start, end = self._span(left)[1], self._span(right)[0]
        if self._data[start:end].split() == old.split():
            yield _Change(kind, start, end, b" " + new + b" ")

    def _text(self, node: ast.expr | ast.keyword) -> bytes:
        start, end = self._span(node)
        stars = b"**" if isinstance(node, ast.keyword) and node.arg is None else b""
        text = self._data[start:end]
        return text if text.startswith(b"*") else stars + text

    def _span(self, node: ast.stmt | ast.expr | ast.keyword) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )
