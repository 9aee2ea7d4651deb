"""What another framework made."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.libraries import is_made_by_foreign
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

OPTIONS = options_from({"version": "2.8.0"})
IMPORTS = "import torch\nimport paddle\n"


def probed(code: str) -> tuple[Context, Node]:
    """The receiver of ``.PROBE`` in a file."""
    source = SourceFile(IMPORTS + code)
    return Context(source, OPTIONS), receiver_of_probe(source)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("paddle.ones(2).PROBE", True),
        ("x = paddle.ones(2)\nx.PROBE", True),
        ("x = paddle.ones(2)\nx = x.cuda()[0]\nx.PROBE", True),
        ("def f(x):\n    x = paddle.to_tensor(x)\n    x.PROBE", True),
        ("class C:\n    def f(self):\n        self.x = paddle.ones(2)\n        self.x.PROBE", True),
        ("x, y = paddle.split(z, 2)\nx.PROBE", True),
        ("for x in paddle.io.DataLoader(d):\n    x.PROBE", True),
        ("torch.ones(2).PROBE", False),
        ("x = paddle.ones(2)\nx = torch.ones(2)\nx.PROBE", False),
        ("from t import f\nx = paddle.ones(2)\nx, y = f(x)\nx.PROBE", False),
        ("x = paddle.ones(2)\nfor x in loader:\n    x.PROBE", False),
        ("def f(x):\n    x.PROBE", False),
        ("x.PROBE", False),
    ],
)
def test_what_another_framework_made(code: str, expected: bool) -> None:
    ctx, receiver = probed(code)
    assert is_made_by_foreign(receiver, ctx) is expected
