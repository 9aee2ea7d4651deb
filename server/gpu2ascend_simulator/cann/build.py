"""Builds the stand-ins for CANN's libraries with a compiler that the machine or the environment has."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .elf import Library
from .wheel import Needs

SOURCES = Path(__file__).with_name("sources")
MAIN = "libascendcl.so"
"""The library that has all functions; each other is a name of it."""
_CUDA, _NO_CUDA = "libcuda_names.so", "libwithout_cuda.so"
"""The library with the names of CUDA's, and the one with their functions: one that has a version's name
must have versions.
"""
_COMPILERS = ("cc", "gcc", "clang")
_OPTIONS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-s", "-w", "-Wl,-z,norelro")
"""Without pages that become read-only, which would fill a library up to a page: 64 KB on aarch64."""
_FOLDERS = ("opp", "runtime", "compiler")
"""What a wheel looks for below CANN's folder."""
_SECONDS = 300
_NO_DEVICE = "static int no_device(void)\n{\n    return 100;\n}\n"
"""CUDA's answer where there is no GPU."""
_SAME = 'int {name}(void) __attribute__((alias("no_device")));\n'
_REFUSAL = 'int {name}(void)\n{{\n    return refuse("{name}");\n}}\n'


class NoCompilerError(RuntimeError):
    """There is no compiler for C."""


class BuildError(RuntimeError):
    """The compiler refuses the sources, and says why."""


def find_compiler() -> tuple[str, ...]:
    """The command of a compiler: the machine's, else the one that the package ``ziglang`` brings.

    Raises:
        NoCompilerError: there is none.
    """
    for name in _COMPILERS:
        path = shutil.which(name)
        if path is not None:
            return (path,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-I", "-m", "ziglang", "cc")
    raise NoCompilerError("there is no C compiler: neither cc, gcc or clang nor the package ziglang")


def built(needs: Needs, cache: Path, compiler: Sequence[str] | None = None) -> Path:
    """A folder like CANN's for a wheel, from the cache or built into it.

    Raises:
        NoCompilerError: it has to be built, and there is nothing to build it with.
        BuildError: the compiler failed.
        OSError: there is no room.
    """
    folder = cache / _key(needs)
    if folder.is_dir():
        return folder
    compiler = find_compiler() if compiler is None else compiler
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="build-", dir=cache))
    try:
        _build(needs, made, compiler)
        made.rename(folder)
    except OSError:
        if not folder.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _key(needs: Needs) -> str:
    digest = hashlib.sha256("\n".join((platform.machine(), *map(repr, needs))).encode())
    for path in (*_sources(), Path(__file__)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources() -> list[Path]:
    return sorted(path for path in SOURCES.rglob("*") if path.is_file())


def _build(needs: Needs, folder: Path, compiler: Sequence[str]) -> None:
    for name in _FOLDERS:
        (folder / name).mkdir()
    sources = [path for path in _sources() if path.suffix == ".c"]
    known = folder / "known.so"
    _compile(compiler, known, sources)
    defined = {symbol.name for symbol in Library(known).symbols() if symbol.is_defined}
    known.unlink()
    refused = _refusals(name for name in needs.functions if name not in defined)
    _compile_text(compiler, folder / MAIN, refused, sources)
    _name(folder, needs.libraries, MAIN)
    if needs.cuda_libraries:
        _compile_text(compiler, folder / _NO_CUDA, _without_device(needs.cuda_functions))
        linked = ("-Wl,--no-as-needed", str(folder / _NO_CUDA), "-Wl,-rpath,$ORIGIN")
        _compile_text(compiler, folder / _CUDA, "typedef int nothing;\n", more=linked)
        _name(folder, needs.cuda_libraries, _CUDA)


def _name(folder: Path, names: Iterable[str], library: str) -> None:
    """Give a library more names: whoever loads several of them gets it once."""
    for name in names:
        if name != library:
            (folder / name).symlink_to(library)


def _without_device(names: Iterable[str]) -> str:
    return _NO_DEVICE + "".join(_SAME.format(name=name) for name in names)


def _refusals(names: Iterable[str]) -> str:
    return '#include "emulated.h"\n' + "".join(_REFUSAL.format(name=name) for name in names)


def _compile_text(
    compiler: Sequence[str], target: Path, text: str, sources: Sequence[Path] = (), more: Sequence[str] = ()
) -> None:
    """A library of a text and of sources; the text does not stay."""
    made = target.with_suffix(".c")
    made.write_text(text, encoding="utf-8")
    _compile(compiler, target, [*sources, made], more)
    made.unlink()


def _compile(
    compiler: Sequence[str], target: Path, sources: Sequence[Path], more: Sequence[str] = ()
) -> None:
    files = map(str, sources)
    named = f"-Wl,-soname,{target.name}"
    command = [*compiler, *_OPTIONS, f"-I{SOURCES}", "-o", str(target), *files, "-lpthread", named, *more]
    done = subprocess.run(
        command, cwd=target.parent, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    if done.returncode != 0:
        raise BuildError(done.stderr.strip() or f"{compiler[0]} ended with {done.returncode}")
