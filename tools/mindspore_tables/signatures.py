"""The parameters of torch's functions, methods and classes, from their signature or their documentation."""

from __future__ import annotations

import ast
import inspect
import re
from typing import Any

import torch

from gpu2ascend_mindspore.correspondences.signature import read_signature


def found(api: str) -> Any:
    """The object of a dotted name below torch. Raises AttributeError: torch has no such name."""
    value: Any = torch
    for name in api.split(".")[1:]:
        value = getattr(value, name)
    return value


def signatures(api: str) -> list[str]:
    """The parameters of every form of an API; of a method with ``self``."""
    value = found(api)
    method = api.startswith("torch.Tensor.")
    documented = [_plain(text) for text in _documented(value, api.rpartition(".")[2])]
    if not documented:
        try:
            documented = [_plain(str(inspect.signature(value))[1:].rpartition(")")[0])]
        except (TypeError, ValueError):
            return []
        method = False  # it has its own
    full = [", ".join(["self", *([text] if text else [])]) if method else text for text in documented]
    return [text for text in dict.fromkeys(full) if _is_readable(text)]


def _documented(value: Any, name: str) -> list[str]:
    form = re.compile(
        rf"^[ ]*(?:\.\. (?:function|method):: )?(?:[\w.]*\.)?{re.escape(name)}\(([^\n]*?)\)[ ]*(?:->.*)?$",
        re.M,
    )
    return [match[1] for match in form.finditer(inspect.getdoc(value) or "") if not isinstance(value, type)]


def _plain(text: str) -> str:
    text = re.sub(r"\s*->.*", "", text)
    text = re.sub(r"[*]?(\w+)\.\.\.", r"*\1", text).replace("\\*", "*")
    return re.sub(r"\bout$", "out=None", _without_annotations(text))


def _without_annotations(text: str) -> str:
    try:
        tree = ast.parse(f"def f({text}): ...")
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    return ast.unparse(function.args)


def _is_readable(text: str) -> bool:
    try:
        read_signature(text)
    except ValueError:
        return False
    return True
