"""What the proof asks of every migrated file."""

from __future__ import annotations

import pytest

from tools.proof.invariants import broken, unbound_names

BEFORE = "import torch\n\n\ndef f():\n    return torch.cuda.device_count()\n"


@pytest.mark.parametrize(
    ("after", "violation"),
    [
        ("import torch\n\n\ndef f():\n    return torch_npu.npu.device_count()\n", "bound nowhere: torch_npu"),
        ("import torch\ndef f(:\n", "does not parse"),
        ("d = 'npu' if kind == 'cuda' else 'cpu'\n", "half an edit"),
        ("ok = x.type == 'npu' and (x.type == 'cuda') == (y == 'npu')\n", "half an edit"),
        ("back_end = 'nccl' if hccl.is_there('hccl') else 'gloo'\n", "half an edit"),
    ],
)
def test_what_a_migration_must_not_leave(after: str, violation: str) -> None:
    assert any(violation in item for item in broken(BEFORE, after))


@pytest.mark.parametrize(
    "after",
    [
        "import torch\nimport torch_npu\n\n\ndef f():\n    return torch_npu.npu.device_count()\n",
        "import kind\nd = 'npu' if kind == 'npu' else 'cpu'\n",
        "import kind\nok = kind in ('cuda', 'npu')\n",
    ],
)
def test_what_it_may_leave(after: str) -> None:
    assert list(broken(BEFORE, after)) == []


def test_what_was_there_before_is_no_fault_of_the_migration() -> None:
    assert list(broken("x = unknown\n", "y = unknown\n")) == []


def test_names_are_bound_by_every_kind_of_statement() -> None:
    text = "import a\nfor d in a: pass\ndef f(e):\n    global g\n    g = d, e\nprint(f, g, len)\n"
    assert unbound_names(text) == frozenset()
    assert unbound_names("def f():\n    return missing\n") == {"missing"}
    assert unbound_names("from a import *\nmissing\n") == frozenset()
