"""Builds the extension once for a version of its sources, of torch and of Python; prints its path.

    python build.py CACHE_DIRECTORY

Run as a separate process: loading the extension registers the device for good, which the test runner
must not have.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import sys
from pathlib import Path

NAME = "torch_npu_standin"
SOURCES = Path(__file__).with_name("csrc")


def fingerprint() -> str:
    """A name for all that the binary depends on."""
    import torch

    digest = hashlib.sha256()
    for part in (torch.__version__, sys.version, platform.machine()):
        digest.update(part.encode())
    for path in (Path(__file__), *sorted(SOURCES.iterdir())):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def compile_into(directory: Path) -> None:
    """Compiles and links with what torch knows about its own ABI."""
    # ninja is a script beside the interpreter; the environment need not be activated.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    from torch.utils import cpp_extension

    cpp_extension.load(
        name=NAME,
        sources=[str(path) for path in sorted(SOURCES.glob("*.cpp"))],
        extra_cflags=["-O1", "-g0", "-w"],
        build_directory=str(directory),
        verbose=bool(os.environ.get("STANDIN_VERBOSE_BUILD")),
    )


def build(cache: Path) -> Path:
    """The path of the extension. Several processes may ask at the same time; one of them builds."""
    directory = cache / fingerprint()
    library = directory / f"{NAME}.so"
    directory.mkdir(parents=True, exist_ok=True)
    with (cache / f"{directory.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "complete").exists():
            compile_into(directory)
            (directory / "complete").touch()
    return library


if __name__ == "__main__":
    print(build(Path(sys.argv[1]).resolve()))
