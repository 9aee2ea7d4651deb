"""``python -m tools.proof.aarch64 [RELEASE...]``: the program of the emulated CANN on aarch64, under qemu.

Needs Debian or Ubuntu with ``debootstrap``, ``qemu-user-static`` and ``gcc-aarch64-linux-gnu``, the network,
root, and 1 GB. Exit code 1: a release does not pass.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from gpu2ascend_simulator.cann.build import built
from gpu2ascend_simulator.cann.prepare import variables_of
from gpu2ascend_simulator.cann.wheel import Wheel, needs_of

from ..projects import CACHE

_ROOT = Path(__file__).parents[3]
_PROGRAM = _ROOT / "tests" / "simulator" / "cann" / "program.py"
_FOLDER = CACHE / "aarch64"
_COMPILER = "aarch64-linux-gnu-gcc"
_EMULATOR = "qemu-aarch64-static"
_SYSTEM = ("bookworm", "3.11")
"""Debian's release, and its Python."""
_PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
_REQUIRED = (
    *(
        "typing-extensions",
        "sympy",
        "mpmath",
        "networkx",
        "jinja2",
        "markupsafe",
        "filelock",
        "fsspec",
        "numpy<2",
    ),
    *("pyyaml", "setuptools<81", "pytest", "pluggy", "iniconfig", "packaging", "pygments"),
)
"""Of torch and torch_npu; and what the program is checked by."""


def main() -> int:
    """Run the command line."""
    for command in ("debootstrap", _EMULATOR, _COMPILER):
        if shutil.which(command) is None:
            print(f"{command} not found: apt-get install debootstrap qemu-user-static gcc-aarch64-linux-gnu")
            return 1
    system, failed = _system(), 0
    for release in sys.argv[1:] or ["2.5.1"]:
        done = _ran(release, _wheels(release), system)
        print(f"{release}: {'passes' if done.returncode == 0 else done.stderr[-4000:]}", flush=True)
        failed += done.returncode != 0
    return 1 if failed else 0


def _system() -> Path:
    """The root of a system for aarch64; its packages are unpacked, and nothing of it runs here."""
    root = _FOLDER / "root"
    python = root / "usr" / "bin" / f"python{_SYSTEM[1]}"
    if not python.exists():
        root.mkdir(parents=True, exist_ok=True)
        options = (
            "--foreign",
            "--arch=arm64",
            "--variant=minbase",
            "--include=python3,libgomp1,libopenblas0",
        )
        _run("debootstrap", *options, _SYSTEM[0], str(root))
        for package in sorted((root / "var" / "cache" / "apt" / "archives").glob("*.deb")):
            _run("dpkg-deb", "-x", str(package), str(root))
    return root


def _wheels(release: str) -> Path:
    """The packages of a release, unpacked."""
    made = _FOLDER / release
    if not made.exists():
        downloaded = _FOLDER / f"{release}-wheels"
        platforms = (f"--platform={name}" for name in _PLATFORMS)
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:")
        _run(*pip, *platforms, f"--python-version={_SYSTEM[1]}", f"--dest={downloaded}",
             f"torch=={release}", f"torch-npu=={release}.*", *_REQUIRED)  # fmt: skip
        for wheel in sorted(downloaded.glob("*.whl")):
            zipfile.ZipFile(wheel).extractall(made)
        shutil.rmtree(downloaded)
    return made


def _ran(release: str, packages: Path, system: Path) -> subprocess.CompletedProcess[str]:
    """The program in an emulated process, which has the stand-ins of a cross compiler."""
    wheel = Wheel(release, release, packages / "torch_npu", packages / "torch")
    libraries = built(needs_of(wheel), _FOLDER / "stand-ins", (_COMPILER,))
    paths = (packages, _ROOT, _ROOT / "server", _ROOT / "rules")
    variables = {
        **variables_of(libraries, {"LD_LIBRARY_PATH": str(packages / "torch" / "lib")}),
        "PYTHONPATH": ":".join(map(str, paths)),
        "OMP_NUM_THREADS": "1",
    }
    given = (argument for name, value in variables.items() for argument in ("-E", f"{name}={value}"))
    # Without SVE, whose emulated vectors are longer than the kernels of torch expect.
    emulator = (_EMULATOR, "-cpu", "max,sve=off", "-L", str(system), *given)
    python = system / "usr" / "bin" / f"python{_SYSTEM[1]}"
    command = (*emulator, str(python), "-S", str(_PROGRAM))
    return subprocess.run(command, cwd=system, capture_output=True, text=True, check=False)


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
