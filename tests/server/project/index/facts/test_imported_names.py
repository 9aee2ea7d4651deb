"""Which names a file takes from modules that may be its project's."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.facts.imported_names import imported_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from layers import DDP\n", ("layers.DDP",)),
        ("from .nn.layers import a, b as c\n", ("layers.a", "layers.b")),
        ("from layers import (\n    a,  # why\n    b as c,\n)\n", ("layers.a", "layers.b")),
        ("from layers import a, \\\n    b\n", ("layers.a", "layers.b")),
        ("def f():\n    from layers import a; a()\n", ("layers.a",)),
        ("from .layers import *\n", ("layers.*",)),
        ("from . import layers\nlayers.FusedAdam(p)\n", (".layers", ".FusedAdam")),
        ("import layers as L\nL.DDP(m)\n", (".DDP",)),
        ("from os import path\nfrom torch.nn import Module\nfrom apex.parallel import DDP\n", ()),
        ("import apex\napex.optimizers.FusedAdam(p)\n", ()),
        ("import os, transformers as t\nimport trl.core\nimport layers\n", ("transformers.*", "trl.*")),
        ("x = 1\n", ()),
    ],
)
def test_names_with_the_module_they_come_from(text: str, expected: tuple[str, ...]) -> None:
    assert imported_names(text.encode()) == expected
