"""What a wheel of mx_driving exports, with signatures, and which releases of torch it is for."""

from __future__ import annotations

import ast
import re
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS

_PACKAGE = "mx_driving"
_SERIES = re.compile(r"(\d+\.\d+)\.x")
"""The series of torch in the summary of a wheel. What it requires is wider than what it was compiled for."""


class Build(NamedTuple):
    """One wheel."""

    package: str
    release: str
    torch: tuple[str, ...]
    """The versions that the product knows and the wheel was compiled for."""
    signatures: dict[str, str]
    """The parameters of each exported name, as text; empty where the source does not show them."""


def read_build(path: Path) -> Build:
    """Read a wheel; nothing in it is run. Raises KeyError: it is no wheel of mx_driving."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        metadata = Parser().parsestr(
            archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
        )
        series = set(_SERIES.findall(metadata["Summary"]))
        known = tuple(str(item) for item in SUPPORTED_VERSIONS if f"{item.major}.{item.minor}" in series)
        return Build(metadata["Name"].replace("_", "-"), metadata["Version"], known, dict(_exported(archive)))


def _exported(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    top = ast.parse(archive.read(f"{_PACKAGE}/__init__.py"))
    exported: list[str] = []
    made_in: dict[str, tuple[str, str]] = {}
    for node in top.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            exported = ast.literal_eval(node.value)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 1:
            made_in.update({item.asname or item.name: (node.module, item.name) for item in node.names})
    for name in exported:
        module, original = made_in.get(name, ("", name))
        path = f"{_PACKAGE}/{module.replace('.', '/')}.py"
        is_module = bool(module) and path in archive.namelist()
        yield name, _signature(ast.parse(archive.read(path)), original) if is_module else ""


def _signature(module: ast.Module, name: str) -> str:
    """The parameters of a function, of a class's ``__init__``, or of the Function behind ``X = C.apply``."""
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return _parameters(node.args, dropped=0)
        if isinstance(node, ast.ClassDef) and node.name == name:
            return _of_class(node, ("__init__", "forward"))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            value = ast.unparse(node.value)
            if value.endswith(".apply"):
                holder = value.removesuffix(".apply")
                classes = (item for item in module.body if isinstance(item, ast.ClassDef))
                return next((_of_class(item, ("forward",)) for item in classes if item.name == holder), "")
    return ""


def _of_class(node: ast.ClassDef, methods: tuple[str, ...]) -> str:
    found = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
    return next((_parameters(found[name].args, dropped=1) for name in methods if name in found), "")


def _parameters(arguments: ast.arguments, *, dropped: int) -> str:
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = list(zip(positional, defaults, strict=True))[dropped:]
    texts = [one.arg if default is None else f"{one.arg}={ast.unparse(default)}" for one, default in pairs]
    return ", ".join(texts).replace("'", '"')
