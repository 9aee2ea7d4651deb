"""A use that no tensor allows speaks against one; any other use says nothing."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.inference.duck_typing import use_of_no_tensor
from gpu2ascend_rules.text.source_file import SourceFile


def speaks_against(use: str) -> bool:
    """Whether a use of the parameter ``x`` speaks against its being a tensor."""
    source = SourceFile(f"def f(x):\n    {use}\n")
    return use_of_no_tensor(source.identifiers("x")[0], source) is not None


@pytest.mark.parametrize(
    "use",
    [
        "x.keys()", "x.items", "x()", "x(1)", "f(**x)", "x['a']", "x['a' 'b']", "x.view(1)['a']; x['b']",
        "isinstance(x, dict)", "hasattr(x, 'a')", "dict(x)", "callable(x)",
    ],
)  # fmt: skip
def test_uses_of_something_else(use: str) -> None:
    assert speaks_against(use)


@pytest.mark.parametrize(
    "use",
    [
        "x.view(1)", "x.shape", "x + 1", "x[0]", "x[:, 1]", "x[y]", "f(x)", "g(1, x)", "f(*x)", "y = x",
        "return x", "d['x'] = x", "y.x()", "f(x=1)",
    ],
)  # fmt: skip
def test_uses_that_a_tensor_allows(use: str) -> None:
    assert not speaks_against(use)
