"""A migrated program prints the same on the simulated device before and after a refactoring that keeps its
meaning.

Some pairs by chance; each script with every refactoring with ``GPU2ASCEND_METAMORPHIC=all``.
"""

from __future__ import annotations

import os
import random
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gpu2ascend_rules.options.options import options_from
from tests.execution.harness import Run, environment, run_script
from tools.metamorphic.marked import Files, with_marks
from tools.metamorphic.migrated import migrated
from tools.metamorphic.refactorings import ALL
from tools.metamorphic.refactorings.refactoring import MAIN, Refactoring, targets_of

pytestmark = [pytest.mark.slow, pytest.mark.execution]

IS_WIDE = os.environ.get("GPU2ASCEND_METAMORPHIC") == "all"
SAMPLES = Path(__file__).parent / "samples"
NAMES = (
    "aliases", "backend_lists", "checkpoints", "cuda_methods", "default_device", "device_spellings", "gan",
    "no_cuda_flag", "randomness",
)  # fmt: skip
"""The scripts that one process runs without options."""
VERSION = "2.8.0"
FEW = 4


def refactored(name: str, refactoring: Refactoring) -> Files | None:
    """A script with one of its words written otherwise; None where the refactoring fits none of them."""
    targets = list(targets_of(with_marks((SAMPLES / f"{name}.py").read_text(encoding="utf-8"))))
    random.Random(f"{name}, {refactoring.name}").shuffle(targets)
    return next((files for target in targets if (files := refactoring.apply(target)) is not None), None)


def pairs() -> list[tuple[str, Refactoring]]:
    """Scripts with refactorings that fit one of their words."""
    every = [(name, item) for name in NAMES for item in ALL]
    if IS_WIDE:
        return [pair for pair in every if refactored(*pair) is not None]
    random.Random(VERSION).shuffle(every)
    return list(islice((pair for pair in every if refactored(*pair) is not None), FEW))


def ran(files: Files, folder: Path) -> Run:
    """What a program prints once it is migrated."""
    texts = migrated(files, options_from({"version": VERSION})).texts
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    extra = {"OUTPUT": str(folder), "PYTHONHASHSEED": "0"}
    return run_script(folder / MAIN, env=environment(VERSION, extra=extra)).check()


@cache
def printed(name: str) -> str:
    """What a script prints that is migrated as it is."""
    with TemporaryDirectory() as folder:
        return ran({MAIN: with_marks((SAMPLES / f"{name}.py").read_text())}, Path(folder)).stdout


@pytest.mark.parametrize(("name", "refactoring"), pairs(), ids=lambda item: getattr(item, "name", item))
def test_the_migrated_program_prints_the_same(name: str, refactoring: Refactoring, tmp_path: Path) -> None:
    files = refactored(name, refactoring)
    assert files is not None
    done = ran(files, tmp_path)
    assert done.stdout == printed(name), done.describe()
