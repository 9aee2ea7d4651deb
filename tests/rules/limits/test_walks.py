"""One policy of limits: how far anything is followed is said in one module and nowhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpu2ascend
import gpu2ascend_rules
from gpu2ascend_rules.codemods.program import Place, Program
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case

RULES = Path(gpu2ascend_rules.__file__).parent
INFERENCE = Path(gpu2ascend.__file__).parent / "project" / "inference"
FOLLOWING = ("catalog", "codemods", "flow", "inference", "receivers", "renames", "text")
"""The rooms that follow values, texts, names and calls; others count bytes, levels of nesting, attempts."""
WORDS = ("DEPTH", "STEPS", "LIMIT", "MAX", "VALUES", "CALLERS", "USES")
FILES = {"MAX_FILES", "MAX_MODULES"}
"""How many files a program has is no question of how far something is followed."""


def followers() -> Iterator[Path]:
    for room in FOLLOWING:
        yield from sorted((RULES / room).rglob("*.py"))
    yield from sorted(INFERENCE.glob("following*.py"))


def limits_of_its_own(module: ast.Module) -> list[str]:
    """Numbers of a module's own by the name of a limit, and counters that are compared with a number."""
    named = [node for node in ast.walk(module) if isinstance(node, ast.Assign) and is_named_limit(node)]
    compared = [node for node in ast.walk(module) if isinstance(node, ast.Compare) and is_counted_off(node)]
    rounds = [node.iter for node in ast.walk(module) if isinstance(node, ast.For) and is_fixed(node)]
    given = [node for node in ast.walk(module) if isinstance(node, ast.arguments) and has_own_depth(node)]
    return [ast.unparse(node) for node in (*named, *compared, *rounds, *given)]


def is_named_limit(node: ast.Assign) -> bool:
    names = {target.id for target in node.targets if isinstance(target, ast.Name)} - FILES
    value = node.value.value if isinstance(node.value, ast.Constant) else None
    is_number = isinstance(value, int | float) and bool(value)
    return is_number and any(word in name.upper().split("_") for word in WORDS for name in names)


def is_counted_off(node: ast.Compare) -> bool:
    last = ast.unparse(node.left).rpartition(".")[2].strip("_")
    limit = node.comparators[0]
    return is_depth(last) and isinstance(limit, ast.Constant) and bool(limit.value)


def is_fixed(loop: ast.For) -> bool:
    """Whether a loop has a number of rounds that is written there."""
    return re.fullmatch(r"range\(\d+\)", ast.unparse(loop.iter)) is not None


def has_own_depth(arguments: ast.arguments) -> bool:
    """Whether a function goes down from a depth that is written there; one may begin to count from 0."""
    named = dict(zip([item.arg for item in arguments.args][::-1], arguments.defaults[::-1], strict=False))
    depths = (value for name, value in named.items() if is_depth(name))
    return any(isinstance(value, ast.Constant) and bool(value.value) for value in depths)


def is_depth(name: str) -> bool:
    return name.strip("_") in ("depth", "steps", "level")


def test_no_other_module_has_a_limit_of_its_own() -> None:
    with every_case() as case:
        for path in followers():
            with case(path):
                assert limits_of_its_own(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "code",
    [
        "MAX_DEPTH = 5",
        "_MAX_CALLERS = 3",
        "if depth > 3:\n    pass",
        "x = self._depth >= 8",
        "for _ in range(4):\n    node = node.parent",
        "def f(node, depth=3):\n    ...",
    ],
)
def test_a_limit_beside_the_policy_would_be_seen(code: str) -> None:
    assert len(limits_of_its_own(ast.parse(code))) == 1


@pytest.mark.parametrize(
    "line", [pytest.param("x{} = x{}.f()", id="methods"), pytest.param("x{} = x{}", id="names")]
)
def test_a_program_is_not_followed_as_deep_as_python_could_not(line: str) -> None:
    code = "".join(f"{line.format(number, number + 1)}\n" for number in range(2000))
    program = Program(SourceFile(f"def f(): ...\n{code}x0()\nf()\n", "main.py"), STANDALONE)
    (call,) = (node for node in program.nodes(program.entry, "call") if program.entry.text_of(node) == "f()")
    callee = program.callee(Place(program.entry, call))
    assert callee is not None
    assert program.calls_of(callee) == [Place(program.entry, call)]
