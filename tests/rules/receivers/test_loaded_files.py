"""What code shows of a file that it loads: whose it is, and what was saved in it."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers.loaded_files import is_kept_in_arrays
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import numpy as np\nimport torch\n"


def load_in(text: str) -> tuple[Node, Context]:
    """The call of ``torch.load`` behind all others, and what is known of its file."""
    ctx = Context(SourceFile(HEAD + text, "a.py"), options_from({"version": "2.8.0"}))
    *_, call = (
        node for node in nodes_in(ctx.source.root) if ctx.source.names.called_in(node) == "torch.load"
    )
    return call, ctx


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data = torch.load(f)\nx = torch.from_numpy(data)\n", True),
        ("data = torch.load(f)\nm.set(data)\ndata = np.zeros(3)\nx = torch.from_numpy(data)\n", False),
        ("data = torch.load(f)\nif c:\n    data = np.zeros(3)\nx = torch.from_numpy(data)\n", True),
        ("seen = np.empty(9)\ndata = torch.load(f)\nseen[:3] = data[0]\n", True),
        ("seen = np.empty(9)\ndata = torch.load(f)\ndata = np.zeros(3)\nseen[:3] = data[0]\n", False),
        ("data = np.zeros(3)\nx = torch.from_numpy(data)\ndata = torch.load(f)\n", False),
    ],
)
def test_what_is_loaded_is_put_into_arrays_until_its_variable_is_bound_again(
    text: str, expected: bool
) -> None:
    assert is_kept_in_arrays(*load_in(text)) is expected
