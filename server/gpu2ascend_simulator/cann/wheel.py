"""What an installed torch_npu expects of CANN: the libraries it is linked with, and their functions."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from .elf import Library, NotElf

_OPENED_BY_NAME = (
    *("libopapi.so", "libnnopbase.so", "libhccl.so", "libhcomm.so"),
    *("libmsprofiler.so", "libascend_hal.so"),
)
"""Libraries that a wheel opens while it runs, whatever it is linked with."""
_OF_OTHERS = re.compile("Py|_Py|_Z(?!NK?2ge)")
"""Functions of Python and of C++, but for CANN's graph engine: nobody stands in for those of others."""
_OF_CUDA = re.compile(r"lib(?:cu|nv|nccl)|_*(?:cu|nv|nccl)[a-zA-Z]")
"""Libraries and functions of CUDA."""


class Wheel(NamedTuple):
    """An installed torch_npu beside an installed torch."""

    version: str
    torch: str
    package: Path
    torch_package: Path


class Needs(NamedTuple):
    """What a wheel does not bring itself."""

    libraries: tuple[str, ...]
    functions: tuple[str, ...]
    cuda_libraries: tuple[str, ...] = ()
    """What a torch built for CUDA wants, and this machine does not have."""
    cuda_functions: tuple[str, ...] = ()


def installed_wheel() -> Wheel | None:
    """The torch_npu of this interpreter with its libraries; None where there is none of them."""
    package, torch = (_package(name) for name in ("torch_npu", "torch"))
    if package is None or torch is None or not any(_libraries(package)):
        return None
    return Wheel(metadata.version("torch_npu"), metadata.version("torch"), package, torch)


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _libraries(package: Path) -> Iterator[Path]:
    """The wheel's libraries, but for the ones that are loaded only where something is asked of them."""
    yield from sorted(package.glob("_C*.so"))
    yield from (path for path in sorted((package / "lib").glob("lib*.so")) if "atb" not in path.name)


def needs_of(wheel: Wheel) -> Needs:
    """The libraries and functions of CANN that the wheel is linked with, or opens by name."""
    own = [Library(path) for path in _libraries(wheel.package)]
    brought = {path.name for path in (*_libraries(wheel.package), *(wheel.torch_package / "lib").iterdir())}
    wanted = {name for library in own for name in library.needed()}
    libraries = {name for name in wanted if name.endswith(".so") and name not in brought}
    missing = {name for library in own for name in _undefined(library)}
    missing -= _defined_in(own, missing)
    missing -= _defined_in(_opened(sorted((wheel.torch_package / "lib").glob("*.so*"))), missing)
    system = ctypes.CDLL(None)
    functions = sorted(name for name in missing if not hasattr(system, name))
    return Needs(
        tuple(sorted(libraries | set(_OPENED_BY_NAME))),
        tuple(functions),
        *_needs_of_cuda(wheel.torch_package),
    )


def _needs_of_cuda(torch: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The libraries and functions of CUDA that a torch is linked with where they are not installed."""
    own = list(_opened(sorted((torch / "lib").glob("*.so*"))))
    wanted = {name for library in own for name in library.needed() if _OF_CUDA.match(name)}
    brought = {path.name for path in (*(torch / "lib").iterdir(), *torch.parent.glob("nvidia/*/lib/*"))}
    if not wanted - brought:
        return (), ()
    undefined = {
        symbol.name
        for library in own
        for symbol in library.symbols()
        if not symbol.is_defined and _OF_CUDA.match(symbol.name)
    }
    return tuple(sorted(wanted - brought)), tuple(sorted(undefined - _defined_in(own, undefined)))


def _opened(paths: Iterable[Path]) -> Iterator[Library]:
    for path in paths:
        try:
            yield Library(path)
        except NotElf:
            continue


def _undefined(library: Library) -> Iterator[str]:
    """Functions that nobody has to have: those of the system's libraries have a version."""
    for symbol in library.symbols():
        is_found = symbol.is_defined or symbol.is_weak or symbol.is_versioned
        if not is_found and not _OF_OTHERS.match(symbol.name):
            yield symbol.name


def _defined_in(libraries: Iterable[Library], wanted: set[str]) -> set[str]:
    found = set()
    for library in libraries:
        found |= {symbol.name for symbol in library.symbols() if symbol.is_defined and symbol.name in wanted}
    return found
