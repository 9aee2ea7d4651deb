"""What the target mindspore makes of a program trains as the program does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.sampling import BEYOND_SAMPLE

from .needs import needs_mindspore

ROOT = Path(__file__).parents[3]
PROGRAMS = (
    "cnn", "resnet", "mnist", "gpt", "tagger", "trainer", "accumulation", "scaled", "losses", "mixed",
    "dcgan", "loading", "penalty", "wgan", "pictures",
)  # fmt: skip

pytestmark = needs_mindspore


COMPILED = (
    "cnn", "resnet", "mnist", "gpt", "tagger", "trainer", "accumulation", "scaled", "losses", "mixed",
    "loading", "pictures",
)  # fmt: skip
"""Those of which a graph can hold the steps; the others are left as they are, which other tests show."""


SAMPLE = frozenset({"dcgan", "gpt", "scaled", "pictures"})
"""Two models with an optimizer each; attention and micro-steps; accumulation, clipping and mixed precision; a
script with data of torchvision. One is compiled."""
COMPILED_SAMPLE = frozenset({"mnist"})


def each(names: Iterable[str], sample: Collection[str]) -> list[ParameterSet]:
    """The names, those that are not of the sample with the mark."""
    return [pytest.param(name, marks=[] if name in sample else [BEYOND_SAMPLE]) for name in names]


def trains_alike(*arguments: str) -> None:
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "rules", "server"))
    environment = os.environ | {"GLOG_v": "4", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.execution.mindspore.alike", *arguments]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout.splitlines()[-1])
    assert len(result["torch"]) >= 3
    assert result["mindspore"] == pytest.approx(result["torch"], abs=1e-4)
    assert result["parameters"] < 2e-4


@pytest.mark.parametrize("name", each(PROGRAMS, SAMPLE))
def test_three_steps_have_equal_losses(name: str) -> None:
    trains_alike(name)


@pytest.mark.parametrize("name", each(COMPILED, COMPILED_SAMPLE))
def test_steps_that_are_compiled_have_equal_losses(name: str) -> None:
    trains_alike(name, "--graph")
