"""``python -m tools.proof.releases [RELEASE...]``: what projects need first, with torch_npu of each release.

Needs ``python3.10`` and ``python3.11`` on PATH, the network, and 3 GB: of the environments, one is there at a
time. A torch that was built for CUDA is installed without CUDA. What is a release's own fault stands in the
table, and has to happen. Exit code 1: a release does not pass, or fails otherwise than it is known to.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..projects import CACHE

_TABLE = Path(__file__).with_name("releases.tsv")
_TESTS = ("tests/simulator/cann/test_program.py", "tests/simulator/hccl/test_hccl.py")
_REQUIRED = (
    *("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "pyyaml", "setuptools<81"),
    *("wheel", "attrs", "decorator", "psutil", "scipy", "pytest"),
)
"""Of torch and torch_npu; and what the programs are checked by."""


class Release(NamedTuple):
    """What is installed for a release."""

    release: str
    python: str
    torch: str
    torch_npu: str
    numpy: str
    fault: str
    """What its torch does wrong, with the report of it; nothing for most."""
    failing: str
    """The test that cannot pass for it."""
    said: str
    """What that test says then."""


def main() -> int:
    """Run the command line."""
    chosen = sys.argv[1:]
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        releases = [Release(**row) for row in csv.DictReader(stream, delimiter="\t")]
    failed = 0
    for release in releases:
        if not chosen or release.release in chosen:
            said = _outcome(release)
            passes = f"passes but for a fault of its own: {release.fault}" if release.fault else "passes"
            print(f"{release.release}: {said or passes}", flush=True)
            failed += bool(said)
    return 1 if failed else 0


def _outcome(release: Release) -> str:
    """What kept a release from passing."""
    environment = CACHE / "releases" / release.release
    try:
        python = _made(release, environment)
        env = {**os.environ, "GPU2ASCEND_TORCH_NPU_PYTHON": str(python)}
        report = environment / "tests.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        done = subprocess.run([*command, *_TESTS], env=env, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            return done.stdout[-4000:]
        return "\n".join(unexpected(release, report))
    except (OSError, subprocess.CalledProcessError) as error:
        return f"{error} {getattr(error, 'stderr', '')}"
    finally:
        shutil.rmtree(environment, ignore_errors=True)


def unexpected(release: Release, report: Path) -> Iterator[str]:
    """The tests that fail otherwise than the release is known to, or that pass although it is at fault."""
    for case in ET.parse(report).iter("testcase"):
        name = case.get("name", "")
        texts = [node.text or "" for node in case if node.tag in ("failure", "error")]
        is_known = bool(release.fault) and name.partition("[")[0] == release.failing
        if is_known and not any(release.said in text for text in texts):
            yield f"{name} does not say {release.said!r}: {''.join(texts)[-4000:]}"
        elif texts and not is_known:
            yield f"{name}: {''.join(texts)[-4000:]}"


def _made(release: Release, environment: Path) -> Path:
    shutil.rmtree(environment, ignore_errors=True)
    _run(f"python{release.python}", "-m", "venv", str(environment))
    python = environment / "bin" / "python"
    pip = (str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir")
    _run(*pip, "--no-deps", f"torch=={release.torch}", f"torch-npu=={release.torch_npu}")
    _run(*pip, release.numpy, *_REQUIRED)
    return python


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


if __name__ == "__main__":
    raise SystemExit(main())
