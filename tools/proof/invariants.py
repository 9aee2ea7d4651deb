"""What must hold of every migrated file, asked of its text without the engine."""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterator

_BUILTINS = frozenset(dir(builtins)) | {
    "__file__", "__name__", "__doc__", "__path__", "__package__", "__spec__", "__loader__", "__builtins__",
    "__annotations__", "__module__", "__qualname__", "__class__", "__dict__", "WindowsError",
}  # fmt: skip
_HALVES = (("cuda", "npu"), ("nccl", "hccl"))


def broken(before: str, after: str) -> Iterator[str]:
    """What a migration broke in a file that it changed."""
    tree = _parsed(after)
    if tree is None:
        yield "does not parse"
        return
    old = _parsed(before)
    known = unbound_names(before) if old is not None else frozenset[str]()
    yield from (f"name bound nowhere: {name}" for name in sorted(unbound_names(after) - known))
    halves = set(half_edits(old)) if old is not None else set()
    yield from (f"half an edit: {text}" for text in half_edits(tree) if text not in halves)


def unbound_names(text: str) -> frozenset[str]:
    """The names that a module's code reads and that nothing in it binds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        top = symtable.symtable(text, "module", "exec")
    if any(
        isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(ast.parse(text))
    ):
        return frozenset()
    bound = {
        symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()
    }
    bound |= {name for table in _tables(top) for name in _declared_global(table)}
    read = {name for table in _tables(top) for name in _read_globals(table)}
    return frozenset(read - bound - _BUILTINS)


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _declared_global(table: symtable.SymbolTable) -> Iterator[str]:
    return (
        item.get_name() for item in table.get_symbols() if item.is_declared_global() and item.is_assigned()
    )


def _read_globals(table: symtable.SymbolTable) -> Iterator[str]:
    is_module = table.get_type() == "module"
    return (
        item.get_name()
        for item in table.get_symbols()
        if item.is_referenced() and (is_module or item.is_global())
    )


def half_edits(tree: ast.AST) -> Iterator[str]:
    """Conditional expressions and comparisons of which one side is of CUDA and the other of the NPU."""
    for node in ast.walk(tree):
        pairs: list[tuple[ast.AST, ast.AST]] = []
        if isinstance(node, ast.IfExp):
            pairs = [(node.body, node.orelse), (node.test, node.body)]
        elif isinstance(node, ast.Compare):
            pairs = [(node.left, item) for item in node.comparators]
        for one, two in pairs:
            if any(_is_mixed(one, two, half) for half in _HALVES):
                yield ast.unparse(node)
                break


def _is_mixed(one: ast.AST, two: ast.AST, half: tuple[str, str]) -> bool:
    texts = _code_words(one), _code_words(two)
    return any(
        half[0] in first and half[1] in second and half[1] not in first and half[0] not in second
        for first, second in (texts, texts[::-1])
    )


def _code_words(node: ast.AST) -> set[str]:
    """The device words that stand as strings, attributes or names by themselves."""
    words: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            words.add(inner.value.partition(":")[0])
        elif isinstance(inner, ast.Attribute):
            words.add(inner.attr)
    return words


def _parsed(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None
