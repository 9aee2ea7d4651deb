"""What each place makes of a text, subject by subject: the role, the place that decided, how sure it is.

The ways to write it are in ``samples``. Names say nothing there unless they are meant to, so that no name
hides what a place says.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Verdict, flow_of
from gpu2ascend_rules.flow.subject import Subject
from gpu2ascend_rules.flow.subjects.backends import BACKENDS
from gpu2ascend_rules.flow.subjects.commands import COMMANDS
from gpu2ascend_rules.flow.subjects.devices import DEVICES
from gpu2ascend_rules.flow.subjects.environment import VARIABLES
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.pieces import agree

SAMPLES = Path(__file__).with_name("samples")
HEAD = "import torch\nimport torch.distributed as dist\nimport torch.nn as nn\n"
OPTIONS = options_from({"version": "2.8.0"})
SUBJECTS = {
    "devices": (DEVICES, "cuda"),
    "calls": (DEVICES, "cuda"),
    "values": (DEVICES, "cuda"),
    "backends": (BACKENDS, "nccl"),
    "words": (COMMANDS, "LD"),
    "variables": (VARIABLES, "CUDA_HOME"),
}


def shown(verdict: Verdict) -> str:
    """A verdict in one line."""
    place = " ".join(verdict.node.text.decode().split()) if verdict.node and verdict.node.text else ""
    parts = (
        verdict.role.value,
        "" if verdict.certain else "?",
        f"`{place}`" if place else "",
        verdict.library,
    )
    return " ".join(part for part in parts if part)


def outcome(code: str, subject: Subject, word: str) -> Iterator[str]:
    """What each text of a subject is in a piece of code."""
    ctx = Context(SourceFile(f"{HEAD}{code}\n", "train.py"), OPTIONS)
    flow = flow_of(subject, ctx)
    for _, ref in scan_strings(ctx.source, [word]):
        yield f"{ref.text}: {shown(flow.role_of(ref))}"
    yield from (f"and {shown(verdict)}" for verdict in flow.reached_foreign)


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_each_place_makes_of_a_text(name: str) -> None:
    agree(SAMPLES / f"{name}.txt", lambda code: outcome(code, *SUBJECTS[name]))
