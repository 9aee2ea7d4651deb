"""What a reader is shown of a row is Python, and has no word that only the tables have."""

from __future__ import annotations

import ast

import pytest

from gpu2ascend_mindspore.correspondences.entry import value_function
from gpu2ascend_mindspore.correspondences.readable import readable_parameters, readable_target
from gpu2ascend_mindspore.data import load_tsv

ROWS = [
    row
    for table in ("mindspore_apis", "mindspore_mint_apis", "mindspore_compiled_apis", "mindspore_masked_apis")
    for row in load_tsv(table)
    if row["target"] != "none"
]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("input, dim: axes = None, *, keepdim=False", "input, dim=None, *, keepdim=False"),
        ("x: tensor, *, padding: str, size: int = 2", "x, *, padding: str, size: int = 2"),
    ],
)
def test_parameters(written: str, shown: str) -> None:
    assert readable_parameters(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("nn.Conv2d(a, has_bias=always(bias))", "nn.Conv2d(a, has_bias=bias)"),
        ("nn.BatchNorm2d(n, momentum=complement(momentum))", "nn.BatchNorm2d(n, momentum=1 - momentum)"),
        ("ops.std(x, ddof=always(degrees_of_freedom(unbiased)))", "ops.std(x, ddof=int(unbiased))"),
        ("nn.GELU(approximate=is_tanh(approximate))", "nn.GELU(approximate=approximate == 'tanh')"),
        ("ops.full(size, as_float(value))", "ops.full(size, float(value))"),
    ],
)
def test_an_expression(written: str, shown: str) -> None:
    assert readable_target(written) == shown


def test_every_row_is_readable() -> None:
    before, after = ([_own_words(text(row)) for row in ROWS] for text in (_written, _shown))
    assert sum(before) > 50 and sum(after) == 0


def test_every_signature_is_one_of_python() -> None:
    signatures = [readable_parameters(row["parameters"]) for row in ROWS if "," in row["parameters"]]
    functions = [ast.parse(f"def f({signature}): pass").body for signature in signatures]
    assert len(functions) > 300


def _written(row: dict[str, str]) -> str:
    return row["target"]


def _shown(row: dict[str, str]) -> str:
    return readable_target(row["target"])


def _own_words(expression: str) -> int:
    nodes = ast.walk(ast.parse(expression, mode="eval"))
    return sum(isinstance(node, ast.expr) and value_function(node) is not None for node in nodes)
