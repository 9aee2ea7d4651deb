"""``python -m tools.proof.releases [RELEASE...]``: what projects need first, with torch_npu of each release.

Needs ``python3.10`` and ``python3.11`` on PATH, the network, and 3 GB: of the environments, one is there at a
time. A torch that was built for CUDA is installed without CUDA. Exit code 1: a release does not pass.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
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


def main() -> int:
    """Run the command line."""
    chosen = sys.argv[1:]
    with _TABLE.open(encoding="utf-8", newline="") as stream:
        releases = [Release(**row) for row in csv.DictReader(stream, delimiter="\t")]
    failed = 0
    for release in releases:
        if not chosen or release.release in chosen:
            said = _outcome(release)
            print(f"{release.release}: {said or 'passes'}", flush=True)
            failed += bool(said)
    return 1 if failed else 0


def _outcome(release: Release) -> str:
    """What kept a release from passing."""
    environment = CACHE / "releases" / release.release
    try:
        python = _made(release, environment)
        env = {**os.environ, "GPU2ASCEND_TORCH_NPU_PYTHON": str(python)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_TESTS]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout[-4000:]
    except (OSError, subprocess.CalledProcessError) as error:
        return f"{error} {getattr(error, 'stderr', '')}"
    finally:
        shutil.rmtree(environment, ignore_errors=True)


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
