"""Python, torch and torch_npu, which must fit each other and CANN; and packages that break them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gpu2ascend_rules.facts.packages.pairs import Build, builds

from ..machine import Machine
from ..python_environment import PythonEnvironment
from ..reading.versions import order, same_release
from ..result import Result, Status, result
from ..tables import rows
from .cann import root_of, version_of

_FOR_CANN = (
    *("absl-py", "attrs", "cffi", "cloudpickle", "decorator", "numpy", "protobuf"),
    *("psutil", "pyyaml", "scipy", "sympy"),
)
"""What CANN's operator compiler imports, at the first operator."""
_NUMPY_PINS = {"3.10": "1.23.2", "3.11": "1.26.2", "3.12": "1.26.2", "3.13": "2.1.2"}
"""What the vendor tests with, by Python."""
_OLD_NUMPY_UP_TO = "2.2"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def base_of(version: str) -> str:
    """The version without what the build adds: ``2.8.0`` of ``2.8.0.post2`` and of ``2.8.0+cu126``."""
    return version.partition("+")[0].partition(".post")[0].partition(".rc")[0]


def build_of(torch_npu: str) -> Build | None:
    """What is known of an installed torch_npu, with the CANN of the next older build if it has none itself;
    None where no CANN is stated publicly for its torch."""
    plain = torch_npu.partition("+")[0]
    older = itertools.dropwhile(lambda build: build.torch_npu != plain, builds())
    known = [build for build in older if build.torch == base_of(plain)]
    documented = next((build for build in known if build.cann), None)
    return documented._replace(pythons=known[0].pythons) if documented is not None else None


def environment(machine: Machine) -> Iterator[Result]:
    """Whether torch and torch_npu are installed, and for the same version."""
    python = machine.python
    if python is None:
        yield result("python", "unseen", Status.UNSEEN)
        return
    yield result("python", "found", Status.INFO, version=python.python or "?", path=str(python.directory))
    torch, torch_npu = python.versions.get("torch"), python.versions.get("torch-npu")
    absent = Status.ERROR if machine.has_npu_files else Status.UNSEEN
    if torch is None:
        yield result("torch", "missing", absent, _install(machine.declared))
        return
    if torch_npu is None:
        wanted = machine.declared or base_of(torch)
        yield result("torch_npu", "missing", absent, _install(wanted), torch=wanted)
    elif base_of(torch) != base_of(torch_npu):
        commands = _install(base_of(torch_npu))
        yield result("torch_npu", "pair", Status.ERROR, commands, torch=torch, torch_npu=torch_npu)
    else:
        yield result("torch_npu", "fine", Status.OK, torch=torch, torch_npu=torch_npu)
    yield from _build(python, torch)
    if machine.declared is not None and machine.declared != base_of(torch):
        yield result("torch", "declared", Status.WARNING, torch=torch, declared=machine.declared)


def _install(torch: str | None) -> tuple[str, ...]:
    known = [build for build in builds() if build.is_on_index]
    build = next((build for build in known if build.torch == torch), known[0])
    return (
        f"pip install torch=={build.torch} --index-url {_CPU_INDEX}",
        f"pip install torch-npu=={build.torch_npu}",
    )


def _build(python: PythonEnvironment, torch: str) -> Iterator[Result]:
    """A build of torch for CUDA beside torch_npu: it refuses to start."""
    cuda = python.cuda_of_torch
    if cuda is not None:
        commands = ("pip uninstall -y torch", f"pip install torch=={base_of(torch)} --index-url {_CPU_INDEX}")
        yield result("torch", "cuda", Status.ERROR, commands, torch=torch, cuda=cuda)


def matrix(machine: Machine) -> Iterator[Result]:
    """torch_npu, Python and CANN against the table of versions."""
    python = machine.python
    torch_npu = python.versions.get("torch-npu") if python is not None else None
    if python is None or torch_npu is None:
        return
    build = build_of(torch_npu)
    if build is None:
        yield result("matrix", "unlisted", Status.INFO, torch_npu=torch_npu)
        return
    if python.python is not None and build.pythons and python.python not in build.pythons:
        yield result(
            "matrix",
            "python",
            Status.ERROR,
            python=python.python,
            torch_npu=torch_npu,
            known=", ".join(build.pythons),
        )
    root = root_of(machine)
    cann = version_of(machine, root) if root is not None else None
    if cann is None:
        return
    accepted = _accepted(build)
    if any(same_release(cann, release) for release in accepted):
        yield result("matrix", "fine", Status.OK, torch_npu=torch_npu, cann=cann)
    else:
        known = ", ".join(accepted)
        yield result("matrix", "cann", Status.WARNING, torch_npu=torch_npu, cann=cann, known=known)


def _accepted(build: Build) -> list[str]:
    more = [row["cann"] for row in rows("accepted") if same_release(build.release, row["release"])]
    return [build.cann, *(part for cell in more for part in cell.split(",") if part not in build.cann)]


def companions(machine: Machine) -> Iterator[Result]:
    """Packages that break torch_npu, or that CANN lacks."""
    python = machine.python
    if python is None or "torch" not in python.versions:
        return
    installed = python.versions
    torch = base_of(installed["torch"])
    if "triton" in installed and "triton-ascend" in installed:
        commands = ("pip uninstall -y triton triton-ascend", "pip install triton-ascend")
        yield result("triton", "both", Status.ERROR, commands)
    for package in ("torchvision", "torchaudio"):
        needed = python.torch_needed_by(package)
        if needed is not None and base_of(needed) != torch:
            version = installed[package]
            yield result("companions", "pair", Status.ERROR, package=package, version=version, torch=needed)
    yield from _numpy(python, torch)
    missing = [name for name in _FOR_CANN if name not in installed]
    if missing and "torch-npu" in installed:
        names = " ".join(missing)
        yield result(
            "cann-python", "missing", Status.ERROR, (f"pip install {names}",), names=", ".join(missing)
        )


def _numpy(python: PythonEnvironment, torch: str) -> Iterator[Result]:
    """A numpy that torch or torch_npu was not built for."""
    installed = python.versions
    numpy = installed.get("numpy", "")
    if numpy.startswith("2.") and order(torch) < order(f"{_OLD_NUMPY_UP_TO}.99"):
        yield result("numpy", "new", Status.WARNING, ("pip install 'numpy<2'",), numpy=numpy, torch=torch)
    pin = _NUMPY_PINS.get(python.python or "")
    if pin is not None and numpy and numpy != pin and "torch-npu" in installed:
        yield result("numpy", "other", Status.INFO, numpy=numpy, pin=pin, python=python.python or "?")
