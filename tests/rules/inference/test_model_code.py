"""Which functions compute in a forward pass: found by the names of the file's own functions alone. Counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tree_sitter import Node

from gpu2ascend_rules.inference.classes.class_definitions import ClassDefinitions
from gpu2ascend_rules.inference.models.code import ModelCode
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field, text_of

CODE = """\
import torch

def scaled(x):
    return x * 2

class Layer(torch.nn.Module):
    def forward(self, x, other):
        other.helper(x)
        x = self.layer(self.norm(x.float()))
        return scaled(self.helper(x))

    def helper(self, x):
        return x.view(-1)

    def unused(self, x):
        return x
"""


def test_a_function_is_looked_up_only_where_its_name_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    meant_by = ModelCode._meant_by
    names: list[str] = []

    def noted(code: ModelCode, name: Node, function: Node) -> Iterator[Node]:
        names.append(text_of(name))
        return meant_by(code, name, function)

    monkeypatch.setattr(ModelCode, "_meant_by", noted)
    source = SourceFile(CODE)
    functions = ModelCode(source, ClassDefinitions(source)).functions
    assert [text_of(field(function, "name")) for function in functions] == ["scaled", "forward", "helper"]
    assert sorted(set(names)) == ["forward", "helper", "scaled"]
