"""Compares what the tables have of a release with its torch_npu, which runs: a program of its own.

It prints a document: how many were compared, and what differs.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch_npu  # noqa: F401 - it makes the device

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.names.npu_names import all_names
from gpu2ascend_rules.model.versions import Version

_OF_METHODS = ("self", "cls")
_ANY = ("args", "kwargs")


def found(name: str) -> Any:
    """What a program gets that writes the name, and imports the modules in it."""
    module, *parts = name.split(".")
    value: Any = importlib.import_module(module)
    for part in parts:
        module = f"{module}.{part}"
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(module)
    return value


def _names_of_text(signature: str) -> list[str]:
    given = ast.parse("def _(" + signature.partition("(")[2].partition(" -> ")[0] + ": pass").body[0]
    assert isinstance(given, ast.FunctionDef)
    listed = (*given.args.posonlyargs, *given.args.args, *given.args.kwonlyargs)
    rest = (x for x in (given.args.vararg, given.args.kwarg) if x is not None)
    return sorted(x.arg for x in (*listed, *rest) if x.arg not in _OF_METHODS)


def _without_overload(schema: str) -> str:
    name, _, rest = schema.partition("(")
    return f"{name.partition('.')[0]}({rest}"


def differs(name: str, signature: str) -> object:
    """What the wheel has in the place of a signature; nothing where it is the same."""
    operator = getattr(torch.ops.npu, name.removeprefix("torch_npu."), None)
    if operator is not None and name.count(".") == 1:
        want = str(torch._C.parse_schema(signature.replace("torch_npu.", "npu::", 1)))
        schemas = [str(getattr(operator, overload)._schema) for overload in operator.overloads()]
        return None if want in map(_without_overload, schemas) else schemas
    got = sorted(x for x in inspect.signature(found(name)).parameters if x not in _OF_METHODS)
    return None if got in (_names_of_text(signature), sorted(_ANY)) else got


def _is_missing(name: str) -> None:
    found(name)


def compared(checks: Iterator[tuple[str, Callable[[], object]]]) -> dict[str, object]:
    """How many there are, and those that differ."""
    different: dict[str, str] = {}
    count = 0
    for name, check in checks:
        count += 1
        try:
            said = check()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        if said is not None:
            different[name] = str(said)[:300]
    return {"count": count, "different": different}


def _names(version: Version) -> Iterator[tuple[str, Callable[[], object]]]:
    for name in all_names(version):
        yield name, functools.partial(_is_missing, name)


def _signatures(version: Version) -> Iterator[tuple[str, Callable[[], object]]]:
    for row in load_tsv("npu_signatures"):
        if str(version) in row["versions"].split():
            yield row["name"], functools.partial(differs, row["name"], row["signature"])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    release = Version(*map(int, sys.argv[1].split(".")))
    print(json.dumps({"names": compared(_names(release)), "signatures": compared(_signatures(release))}))
