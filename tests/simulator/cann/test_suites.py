"""What torch's own tables hold does on torch_npu what it does on the CPU, but for what is listed.

In five parts, of which CI runs the first.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS
from tests.sampling import shares
from tests.simulator.cann.test_battery import variables
from tests.simulator.cann.wheels import interpreter

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]

PROGRAM = Path(__file__).with_name("suites.py")
TABLE = Path(__file__).with_name("differences.tsv")
SHARES = 5
SECONDS = 900
Check = tuple[str, str, str]


def listed() -> Iterator[Check]:
    """Checks whose difference is known, by suite, name and check."""
    lines = (line for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#"))
    for row in csv.DictReader(lines, delimiter="\t"):
        assert row["reason"]
        yield from ((row["suite"], row["name"], check) for check in row["checks"].split(","))


@cache
def outcomes(share: int) -> list[dict[str, list[str]]]:
    """What the program says of a share."""
    python = interpreter()
    env = {
        **os.environ,
        **variables(python),
        "PYTHONPATH": os.pathsep.join(map(str, SOURCE_ROOTS)),
        "PYTHONFAULTHANDLER": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [str(python), str(PROGRAM), str(share), str(SHARES)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=SECONDS, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"after {lines[-1:]}: {done.stderr[-3000:]}"
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("share", shares(SHARES))
def test_only_what_is_listed_differs(share: int) -> None:
    if importlib.util.find_spec("expecttest") is None:
        pytest.skip("torch's tables need expecttest (`make`)")
    said = outcomes(share)
    began = {(line["began"][0], line["began"][1]) for line in said if "began" in line}
    told = {tuple(line["differs"][:3]): line["differs"][3] for line in said if "differs" in line}
    known = {check for check in listed() if check[:2] in began}
    assert len(began) > 100
    assert {check: text for check, text in told.items() if check not in known} == {}
    assert sorted(known - set(told)) == []
