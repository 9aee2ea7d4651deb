"""``python -m tools.proof.vendors TESTS FILE...``: runs files of a checkout's tests with torch_npu itself.

The interpreter needs torch_npu of the checkout's release, torch, pytest and expecttest. Exit code 1: a test
fails for a reason that ``reasons.tsv`` does not have.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .reasons import Outcome, failing_on_npus, outcomes, summary

_REPOSITORY = Path(__file__).parents[3]
_PREPARE = "import sys; from gpu2ascend_simulator.cann.prepare import main; main(sys.argv[1])"
_RUN = """
import sys, torch, torch_npu, pytest
from gpu2ascend_simulator.cann.start import begin
begin({}, compares=False)
sys.path.insert(0, sys.argv[1])
sys.exit(pytest.main(sys.argv[2:]))
"""
_OPTIONS = ("-q", "--tb=short", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".")


def _environment(python: Path) -> dict[str, str]:
    paths = os.pathsep.join(str(_REPOSITORY / name) for name in ("server", "rules"))
    programs = os.pathsep.join((str(python.parent), os.environ.get("PATH", os.defpath)))
    env = {**os.environ, "PATH": programs, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    command = [str(python), "-c", _PREPARE, str(_REPOSITORY / ".cache" / "cann")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    return env | {str(name): str(value) for name, value in answer["variables"].items()}


def _run(python: Path, tests: Path, file: str, env: Mapping[str, str], seconds: float) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        path = tests / file
        command = [str(python), "-c", _RUN, str(tests), *_OPTIONS, f"--junitxml={report}", path.name]
        try:
            done = subprocess.run(
                command,
                cwd=path.parent,
                env=env,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [Outcome(file, "all", f"no end after {seconds:.0f} s", False)]
        if report.exists():
            return outcomes(report, file)
        return [Outcome(file, "all", (done.stdout + done.stderr)[-2000:], False)]


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.vendors", description=__doc__)
    parser.add_argument(
        "--python", type=Path, default=Path(sys.executable), help="the interpreter (this one)"
    )
    parser.add_argument("--seconds", type=float, default=300.0, help="for a file (300)")
    parser.add_argument("tests", type=Path)
    parser.add_argument("files", nargs="+", help="relative to the folder of tests")
    given = parser.parse_args()
    env = _environment(given.python)
    found: list[Outcome] = []
    for file in given.files:
        found += _run(given.python, given.tests.resolve(), file, env, given.seconds)
    counted = summary(found, failing_on_npus(given.tests))
    print(f"{len(given.files)} files: {counted.passed} passed, {counted.skipped} skipped")
    for reason, count in counted.failed.most_common():
        print(f"{count} failed: {reason}")
    for outcome in counted.unexplained:
        print(f"no reason: {outcome.file}: {outcome.name}: {outcome.said.strip().splitlines()[-1:]}")
    return 1 if counted.unexplained else 0


if __name__ == "__main__":
    raise SystemExit(main())
