"""A formula is recognized in each way that its texts allow, and in no other."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.patterns.formula import Formula, is_dotted
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

SOFTMAX = Formula("torch.softmax(input:=$x, dim:=-1)", "$x.softmax(dim:=-1)", x=is_dotted)
SCALED = Formula("$s * $of", "$of * $s", of=SOFTMAX)


def holes(formula: Formula, text: str, **known: str) -> dict[str, str] | None:
    source = SourceFile(f"import torch\nimport torch as t\n({text})\n")
    expression = source.root.named_children[-1].named_children[0]
    given = {
        name: SourceFile(value).root.named_children[0].named_children[0] for name, value in known.items()
    }
    found = formula.at(source, expression, **given)
    return None if found is None else {name: text_of(node) for name, node in found.items()}


@pytest.mark.parametrize(
    "text",
    [
        "torch.softmax(a.b, -1)",
        "t.softmax(a.b, dim=-1)",
        "torch.softmax(dim=-1, input=a.b)",
        "a.b.softmax( - 1)",
        "a.b.softmax(dim=(-1))",
    ],
)
def test_a_parameter_is_given_by_position_or_by_name(text: str) -> None:
    assert holes(SOFTMAX, text) == {"x": "a.b"}


@pytest.mark.parametrize(
    "text",
    [
        "torch.softmax(a, 1)",
        "torch.softmax(a)",
        "torch.softmax(a, -1, dtype=d)",
        "torch.softmax(a, dim=-1, **given)",
        "torch.softmax(*given, dim=-1)",
        "torch.softmax(-1, input=a)",
        "torch.softmax(f(), -1)",
        "other.softmax(a, -1)",
    ],
)
def test_another_call_is_not_the_formula(text: str) -> None:
    assert holes(SOFTMAX, text) is None


def test_a_hole_has_the_holes_of_its_own_formula() -> None:
    assert holes(SCALED, "c * (y.softmax(-1))") == {"s": "c", "of": "(y.softmax(-1))", "x": "y"}
    assert holes(SCALED, "c * y.softmax(1)") is None


def test_a_hole_that_is_known_must_be_the_same() -> None:
    product = Formula("$x * $x")
    assert holes(product, "a * a", x="a") == {"x": "a"}
    assert holes(product, "a * a", x="b") is None
    assert holes(product, "a * b") is None


def test_the_nearest_expression_around_a_part_is_found() -> None:
    source = SourceFile("import torch\ny = 1 + 2 * (torch.softmax(a, -1)) + 3\n")
    call = next(node for node in nodes_in(source.root) if node.type == "call")
    found = SCALED.around(source, call)
    assert found is not None and source.text_of(found[0]) == "2 * (torch.softmax(a, -1))"
