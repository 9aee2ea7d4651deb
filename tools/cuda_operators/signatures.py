"""``python -m tools.cuda_operators.signatures WHEEL...``: the signatures that wheels of torch_npu show.

Operators: as the native library of the wheel registers them, which calls ``input`` what the declarations in
the wheel call ``self``. Functions and classes: as the sources define them. Nothing of a wheel is run.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

from ..support_tables.collect.wheel import Wheel

RULES = Path(__file__).parents[2] / "rules" / "gpu2ascend_rules"
TABLE = RULES / "data" / "npu_signatures.tsv"
LIBRARY = "torch_npu/lib/libtorch_npu.so"
_HEAD = (
    "# The signatures of names of torch_npu, by release: the one release takes an argument that another\n"
    "# refuses. Made by `python -m tools.cuda_operators.signatures` from the wheels that\n"
    "# facts/packed/npu_names.tsv names; not edited by hand. Source: the schemas that the native library\n"
    "# registers, and the Python sources in the wheels.\n"
    "name\tversions\tsignature\n"
)
_NAMED = re.compile(r"\btorch_npu(?:\.\w+)+")
_TEXTS = ("data/*.tsv", "data/*.json", "facts/packed/*.tsv", "messages/en/*.json", "catalog/**/*.py")
_SCHEMA = re.compile(rb"(?<=\0)(\w+)(\.\w+)?(\([^\0]*\) -> [^\0]*)(?=\0)")
_CONSTRUCTORS = ("__init__", "__new__")
_OWN = ("self", "cls")


def known_names() -> frozenset[str]:
    """The names that wheels have by the packed tables, and the members that rules and messages name."""
    files = {path for pattern in _TEXTS for path in RULES.glob(pattern) if path != TABLE}
    return frozenset(name for path in files for name in _NAMED.findall(path.read_text(encoding="utf-8")))


def signatures_in(wheel: Wheel, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names of which the wheel shows a signature, each with it."""
    schemas = registered_schemas(wheel.read(LIBRARY) or b"")
    for name in sorted(names):
        parent, _, last = name.rpartition(".")
        schema = schemas.get(last) if parent == "torch_npu" else None
        found = schema or _defined(wheel, parent, last)
        if found is not None:
            yield name, f"{name}{found}"


def registered_schemas(library: bytes) -> dict[str, str]:
    """The schema of each operator that a native library registers: of overloads the one without a name."""
    found: dict[str, tuple[bytes, str]] = {}
    for name, overload, schema in _SCHEMA.findall(library):
        known = found.get(name.decode())
        if overload != b".out" and (known is None or overload < known[0]):
            found[name.decode()] = overload, schema.decode()
    return {name: schema for name, (_, schema) in found.items()}


def _defined(wheel: Wheel, parent: str, last: str) -> str | None:
    """The parameters of a function, class or method that the sources of a wheel define."""
    origin = wheel.origin_of(parent, last)
    if origin is not None:
        module, _, name = origin.rpartition(".")
        return _shown(_definition(wheel, module, name))
    module, _, holder = parent.rpartition(".")
    origin = wheel.origin_of(module, holder) if module else None
    node = _definition(wheel, *origin.rpartition(".")[::2]) if origin is not None else None
    if not isinstance(node, ast.ClassDef):
        return None
    return _shown(_in(node.body, last))


def _definition(wheel: Wheel, module: str, name: str) -> ast.stmt | None:
    tree = wheel.tree(module)
    return _in(tree.body, name) if tree is not None else None


def _in(body: Iterable[ast.stmt], name: str) -> ast.stmt | None:
    """What a body defines last under a name."""
    found = [item for item in body if isinstance(item, (ast.FunctionDef, ast.ClassDef)) and item.name == name]
    return found[-1] if found else None


def _shown(node: ast.stmt | None) -> str | None:
    """The parameters of a function; of a class, those of its constructor."""
    if isinstance(node, ast.ClassDef):
        made = next(filter(None, (_in(node.body, name) for name in _CONSTRUCTORS)), None)
        return _parameters(made) if isinstance(made, ast.FunctionDef) else None
    if not isinstance(node, ast.FunctionDef) or _is_property(node):
        return None
    returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{_parameters(node)}{returned}"


def _is_property(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(item).endswith(("property", "setter")) for item in node.decorator_list)


def _parameters(node: ast.FunctionDef) -> str:
    arguments = node.args
    for held in (arguments.posonlyargs, arguments.args):
        if held and held[0].arg in _OWN:
            del held[0]
            break
    return f"({ast.unparse(arguments)})"


def table_of(wheels: Iterable[Wheel]) -> str:
    """The table, with one row for the releases that have the same signature of a name."""
    names = known_names()
    rows: dict[tuple[str, str], list[Version]] = {}
    for wheel in wheels:
        version = next(item for item in SUPPORTED_VERSIONS if wheel.version.startswith(str(item)))
        facts = Facts.load(version, Hardware.A2)
        for name, signature in signatures_in(wheel, names):
            if facts.npu_name_exists(name):
                rows.setdefault((name, signature), []).append(version)
    ordered = sorted((name, min(versions), signature) for (name, signature), versions in rows.items())
    lines = (
        f"{name}\t{' '.join(map(str, sorted(rows[name, signature])))}\t{signature}\n"
        for name, _, signature in ordered
    )
    return _HEAD + "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.cuda_operators.signatures", description=__doc__)
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    TABLE.write_text(table_of(map(Wheel, parser.parse_args(arguments).wheels)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
