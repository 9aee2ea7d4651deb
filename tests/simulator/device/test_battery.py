"""The simulated device does what programs expect of one. The checks are in the files ``battery_*.py``.

Each file runs in a process of its own, because the device changes torch for good; each check is a test.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.execution.harness import SOURCE_ROOTS, run_script

pytestmark = [pytest.mark.slow, pytest.mark.execution]

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
PYTEST = Path(pytest.__file__).parent / "__main__.py"
OPTIONS = ("-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:asyncio", "-c", os.devnull, "--noconftest")


@pytest.fixture(autouse=True)
def _torch() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")


def checks() -> Iterator[tuple[str, str]]:
    """The files of the battery, and the names of the checks in them."""
    for path in sorted(HERE.glob("battery_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield path.name, node.name


@cache
def failures(file: str) -> dict[str, str]:
    """The checks of a file that failed, by name, and what was said; those that ran without."""
    report = REPOSITORY / ".cache" / "battery" / f"{file}.{os.getpid()}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    paths = (*SOURCE_ROOTS, REPOSITORY)
    env = {
        **inherited,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONFAULTHANDLER": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "OMP_NUM_THREADS": "1",
    }
    done = run_script(PYTEST, *OPTIONS, f"--junitxml={report}", str(HERE / file), cwd=HERE, env=env)
    assert report.exists(), done.describe()
    found = ElementTree.parse(report)
    report.unlink()
    results: dict[str, str] = {}
    for case in found.iter("testcase"):
        name = case.attrib["name"].partition("[")[0]
        said = "\n".join(part.text or "" for part in case if part.tag in ("failure", "error"))
        results[name] = results.get(name, "") + said
    return results


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("file", "check"), list(checks()))
def test_the_device_does_what_programs_expect(file: str, check: str) -> None:
    results = failures(file)
    assert check in results, "the check did not run"
    assert results[check] == "", results[check]


def test_the_battery_is_large() -> None:
    assert len(set(checks())) >= 64
