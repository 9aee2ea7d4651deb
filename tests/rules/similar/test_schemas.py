"""What is written calls an operator of torch_npu as every wheel that has it wants."""

from __future__ import annotations

import ast
import csv
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.similar import assemble

TABLE = Path(__file__).with_name("schemas.tsv")
PARTS = Path(assemble.__file__).parent / "parts"
ROWS = list(csv.DictReader(TABLE.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE))
WRITTEN_BY_RULES = {
    "npu_gelu": "npu_gelu(x, approximate='none')",
    "npu_rms_norm": "npu_rms_norm(x, w, epsilon=e)",
}


def signature(schema: str) -> inspect.Signature:
    """The parameters of a schema, those behind ``*`` by name only."""
    inside = schema[schema.index("(") + 1 : schema.rindex(") ->")]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for part in re.split(r",\s*(?![^\[\]]*\])", inside):
        if part.strip() == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        name, equals, default = part.split(" ", 1)[1].partition("=")
        given = default if equals else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name.strip(), kind, default=given))
    return inspect.Signature(parameters)


def calls_of(operator: str) -> Iterator[ast.Call]:
    """Every call of an operator that an adapter or a rule writes."""
    if operator in WRITTEN_BY_RULES:
        expression = ast.parse(WRITTEN_BY_RULES[operator], mode="eval").body
        assert isinstance(expression, ast.Call)
        yield expression
    for path in PARTS.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            asked = {node.value for node in ast.walk(function) if isinstance(node, ast.Constant)}
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _calls(node, operator, operator in asked):
                    yield node


def _calls(node: ast.Call, operator: str, is_asked_for: bool) -> bool:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == operator
    return is_asked_for and isinstance(node.func, ast.Name) and node.func.id == "operator"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['op']} of {row['wheels'].split(',')[0]}")
def test_what_is_written_binds_to_every_schema(row: dict[str, str]) -> None:
    wanted = signature(row["schema"])
    calls = list(calls_of(row["op"]))
    assert calls
    for call in calls:
        names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
        wanted.bind(*call.args, **dict.fromkeys(names))


def test_a_call_that_a_schema_does_not_take_is_seen() -> None:
    """The control: the mode of rotary embeddings is missing in some wheels."""
    oldest = next(row for row in ROWS if row["op"] == "npu_rotary_mul" and "2.4.0" in row["wheels"])
    with pytest.raises(TypeError):
        signature(oldest["schema"]).bind(1, 2, 3, rotary_mode="half")
