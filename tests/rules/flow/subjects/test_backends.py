"""NCCL stays where the authors have the NPU's back end beside it, and only there."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.flow.subjects.backends import is_backend_name
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def migrated(text: str) -> str:
    """What becomes of a text that imports torch.distributed as dist, without imports."""
    source = SourceFile(f"import torch.distributed as dist\n{text}")
    after = apply_fixes(source, options_from({"version": "2.8.0"})).text
    return "".join(line for line in after.splitlines(keepends=True) if not line.startswith("import"))


PAIRS = {
    "a clause behind it": "if backend == '{}':\n    a()\nelif backend == '{}':\n    b()\n",
    "a clause after others": (
        "if backend == 'mpi':\n    a()\nelif backend == '{}':\n    b()\nelif backend == '{}':\n    c()\n"
    ),
    "an alternative of a condition": "if backend in ('{}', '{}'):\n    a()\n",
    "a constant": "NCCL_BACKEND = '{}'\nOTHER_BACKEND = '{}'\ndist.init_process_group(NCCL_BACKEND)\n",
    "a member": "class B:\n    A = '{}'\n    C = '{}'\ndist.init_process_group(B.A)\n",
    "a choice of an option": "p.add_argument('--backend', choices=['{}', '{}'])\n",
    "an alternative": "dist.init_process_group('{}' if x else '{}')\n",
}


@pytest.mark.parametrize("text", PAIRS.values(), ids=PAIRS)
def test_beside_the_npus_back_end_it_stays(text: str) -> None:
    assert migrated(text.format("nccl", "hccl")) == text.format("nccl", "hccl")


@pytest.mark.parametrize("kind", [kind for kind in PAIRS if "option" not in kind])
def test_capital_letters_are_the_same(kind: str) -> None:
    text = PAIRS[kind].format("NCCL", "HCCL")
    assert migrated(text) == text


@pytest.mark.parametrize("kind", [kind for kind in PAIRS if "condition" not in kind])
def test_beside_another_back_end_it_becomes_the_npus(kind: str) -> None:
    text = PAIRS[kind]
    assert migrated(text.format("nccl", "gloo")) == text.format("hccl", "gloo")


@pytest.mark.parametrize(
    "text",
    [
        "if backend == '{}':\n    use('hccl')\n",
        "if backend == '{}':\n    a()\nif x == 'hccl':\n    b()\n",
        "if x:\n    use('hccl')\nelif backend == '{}':\n    a()\n",
        "b = '{}'\nother = 'hccl'\ndist.init_process_group(b)\n",
    ],
)
def test_the_npus_back_end_elsewhere_is_not_beside_it(text: str) -> None:
    assert migrated(text.format("nccl")) == text.format("hccl")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("backend", True),
        ("dist_backend", True),
        ("DDP_BACKEND", True),
        ("ddpBackend", True),
        ("back", False),
        ("device", False),
    ],
)
def test_names_that_speak_of_a_back_end(name: str, expected: bool) -> None:
    assert is_backend_name(name) is expected
