"""What the migration leaves to a person does fail on the NPU, where a finding says so.

Each script in ``diagnosed_samples/`` has one line marked ``# FAILS: text``, the one to be changed: after the
migration, the run fails with that text, and ``gpu2ascend check`` has a finding for that line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS, environment, migrate, run, run_ranks, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SAMPLES = Path(__file__).parent / "diagnosed_samples"
NAMES = sorted(path.name for path in SAMPLES.glob("*.py"))
DISTRIBUTED = {"float64_reduction.py"}
MARK = re.compile(r"# FAILS: (.+)")
VERSION = "2.8.0"

_migrated: list[Path] = []


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts, migrated as one project, once."""
    if not _migrated:
        _migrated.append(migrate(SAMPLES, tmp_path_factory.mktemp("migrated") / "out", VERSION))
    return _migrated[0]


def marked_line(text: str) -> tuple[int, str]:
    """The number of the line to be changed, and what the failure says."""
    ((number, match),) = [
        (number, match) for number, line in enumerate(text.split("\n"), 1) if (match := MARK.search(line))
    ]
    return number, match[1]


@pytest.mark.parametrize("name", NAMES)
def test_it_fails_on_the_npu(name: str, project: Path) -> None:
    script = project / name
    _, text = marked_line(script.read_text())
    start = run_ranks if name in DISTRIBUTED else run_script
    done = start(script, env=environment(VERSION))
    assert done.returncode != 0, done.describe()
    assert text in done.stderr, done.describe()


@pytest.mark.parametrize("name", NAMES)
def test_a_finding_says_so(name: str, tmp_path: Path) -> None:
    line, _ = marked_line((SAMPLES / name).read_text())
    script = shutil.copy(SAMPLES / name, tmp_path)  # whose project is not this whole repository
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(path) for path in SOURCE_ROOTS)}
    command = (sys.executable, "-m", "gpu2ascend", "check", str(script), "-v", VERSION)
    done = run((*command, "--output-format", "json"), cwd=tmp_path, env=env)
    assert done.returncode == 1, done.describe()
    lines = {
        number
        for finding in json.loads(done.stdout)
        for number in range(finding["location"]["row"], finding["end_location"]["row"] + 1)
        if finding["fix"] is None or finding["fix"]["applicability"] != "safe"
    }
    assert line in lines, done.describe()
