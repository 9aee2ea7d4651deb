"""Questions about migrated sources, answered with ``ast`` and ``tokenize``: independent of the engine."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

CUDA_TRACE = re.compile(
    r"cuda|nccl|nvidia|gpu|apex|\bamp\b|autocast|pin_memory|xformers|flash_attn|triton|fork_rng|channels_last"
    r"|float64|double|\.compile|profiler|deterministic|DataLoader|DataParallel|torch\.load|\.jit\b|sdp"
    r"|cudnn|tf32|sparse|horovod|deepspeed|rsqrt|silu|gelu|set_start_method|spawn|all_reduce|local_rank"
    r"|detect_anomaly|float32_matmul|complex|polar|quantize|dlpack|torchvision|lightning|DataLoader|load_library"
    r"|barrier|GradScaler|device|lr_scheduler",
    re.IGNORECASE,
)
"""A generous idea of what could concern a migration, to another device or torch release.

A file without it must stay byte for byte.
"""


class Dotted(NamedTuple):
    """A dotted expression in the code, its root resolved through the file's imports."""

    name: str
    line: int


def imports_of(tree: ast.AST) -> dict[str, str]:
    """Local name to qualified name, for every import anywhere in a file."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                found[item.asname or item.name.partition(".")[0]] = (
                    item.name if item.asname else item.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for item in node.names:
                found[item.asname or item.name] = f"{node.module}.{item.name}"
    return found


def dotted_names(tree: ast.AST) -> Iterator[Dotted]:
    """Every dotted expression whose root is an imported name, as far as its attributes go."""
    local = imports_of(tree)
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            parts: list[str] = []
            current: ast.expr = node
            while isinstance(current, ast.Attribute):
                inner.add(id(current.value))
                parts.append(current.attr)
                current = current.value
            if isinstance(current, ast.Name) and current.id in local:
                name = ".".join((local[current.id], *reversed(parts)))
                yield Dotted(name, node.lineno)


def imported_names(tree: ast.AST) -> Iterator[Dotted]:
    """What the import statements of a file name, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                yield Dotted(item.name, node.lineno)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for item in node.names:
                yield Dotted(f"{node.module}.{item.name}", node.lineno)


def comments(text: str) -> list[str]:
    """The comments of a file, in order."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def docstrings(tree: ast.AST) -> list[str]:
    """Every string that stands alone as a statement, in order."""
    return [
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


def sunk_cuda_devices(tree: ast.AST) -> Iterator[int]:
    """Lines on which a plain CUDA device string goes straight into a torch device."""
    local = imports_of(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        is_device = ast.unparse(node.func) in ("torch.device", "device") and (
            not isinstance(node.func, ast.Name) or local.get("device") == "torch.device"
        )
        is_to = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
        values = list(node.args[:1]) if is_device or is_to else []
        for value in values:
            if isinstance(value, ast.Constant) and re.fullmatch(r"cuda(:\d+)?", str(value.value)):
                yield node.lineno
