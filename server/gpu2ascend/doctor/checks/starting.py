"""What keeps an installed torch_npu from being imported, and the first operator that shows that all fits."""

from __future__ import annotations

from collections.abc import Iterator

from ..machine import Machine
from ..result import Result, Status, result

_FIRST = 'python -c "import torch, torch_npu; a = torch.randn(3, 4).npu(); print((a + a).cpu())"'


def sources(machine: Machine) -> Iterator[Result]:
    """Sources of torch_npu where Python looks first: they lack what was compiled, and hide the package."""
    for directory in _first_places(machine):
        package = f"{directory.rstrip('/')}/torch_npu"
        if machine.exists(f"{package}/__init__.py") and not _is_compiled(machine, package):
            yield result("import", "sources", Status.ERROR, ("cd ~",), path=package)
            return


def preloaded(machine: Machine) -> Iterator[Result]:
    """On aarch64, torch's own libgomp may find no room any more when it is loaded late."""
    python = machine.python
    if (
        python is None
        or machine.architecture != "aarch64"
        or "libgomp" in machine.environ.get("LD_PRELOAD", "")
    ):
        return
    library = python.library_of("torch", "libgomp")
    if library is not None:
        yield result("import", "libgomp", Status.INFO, (f"export LD_PRELOAD={library}",), path=str(library))


def first_operator(machine: Machine) -> Iterator[Result]:
    """No program of the project's environment is started here: what to start is said."""
    python = machine.python
    if machine.has_npu_files and python is not None and "torch-npu" in python.versions:
        yield result("first-operator", "run", Status.INFO, (_FIRST,))


def _first_places(machine: Machine) -> Iterator[str]:
    """The current directory, and those of PYTHONPATH."""
    places = [machine.environ.get("PWD", ""), *machine.environ.get("PYTHONPATH", "").split(":")]
    yield from (place for place in places if place.startswith("/"))


def _is_compiled(machine: Machine, package: str) -> bool:
    return any(name.startswith("_C") and name.endswith(".so") for name in machine.names(package))
