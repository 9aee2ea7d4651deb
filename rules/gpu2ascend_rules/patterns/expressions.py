"""Expressions that a rule file gives as text: whether they are any, and what they need imported."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

from ..model.finding import Requirement

_IMPORTED = frozenset({"torch", "torch_npu"})
"""Modules that are imported when new text names them. Other names may be anything."""


def is_expression(text: str) -> bool:
    """Whether a text is one expression that can stand as an argument."""
    tree = _parsed(text)
    if tree is None or _has_comment(text):
        return False
    call = _parsed(f"f({text}\n)")
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return False
    return not isinstance(call.args[0], ast.Starred)


def _parsed(text: str) -> ast.expr | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _has_comment(text: str) -> bool:
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


def needed_by(text: str) -> frozenset[Requirement]:
    """The imports that an expression relies on."""
    tree = _parsed(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} if tree is not None else set()
    return frozenset(Requirement(name) for name in names & _IMPORTED)


def needed_by_name(name: str) -> frozenset[Requirement]:
    """The import that a full name relies on: its module, as far as spelling distinguishes it from a class."""
    root, *rest = name.split(".")[:-1] or [""]
    if not root:
        return frozenset()
    module = [root]
    for part in () if root in _IMPORTED else rest:
        if part[0].isupper():
            break
        module.append(part)
    return frozenset({Requirement(".".join(module))})
