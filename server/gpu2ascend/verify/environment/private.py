"""The environment that is made once for a list of packages, in a private folder of the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import attrs
from packaging.utils import canonicalize_name

from gpu2ascend_rules.model.finding import Message

from ...project.errors import InputError, OutputError, reason
from ...project.files.user_cache import private_folder
from ...project.leftovers import locked_folder, remove_unlocked
from ...project.paths import is_file, shown
from ...project.regular_files import read_regular
from ..running.programs import Done, Hearing, run_to_end
from .pip import (
    REACHES,
    SIZES,
    File,
    Problem,
    download_message,
    files_of,
    is_place,
    problem_of,
    relaxed,
    without,
)
from .requirements import BUILD_TOOLS, WHEEL, Wanted, needs_cuda

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
_SECONDS = 3600
_ABSENT = "absent"
"""Marks a folder for an environment that the indexes have no torch_npu for."""
_ABSENT_FOR = 24 * 3600
"""Seconds for which that is believed: an index may get it."""
_PROVIDED = frozenset({"torch", "pytorch", WHEEL})
"""What a project need not list: it is installed, or simulated, in any case."""
_SECONDS_FOR_SIZES = 60
_SECONDS_TO_REACH = 30
_RETRIES = ("--retries", "2")
"""An index that cannot be reached is asked for every package; with pip's five times that takes minutes."""
_COMPILED = (
    "cython",
    "grpcio",
    "h5py",
    "kiwisolver",
    "lxml",
    "matplotlib",
    "numpy",
    "opencv-python",
    "pandas",
    "pillow",
    "pyarrow",
    "scikit-image",
    "scikit-learn",
    "scipy",
    "sentencepiece",
    "tokenizers",
)
"""Packages with a wheel for every Python of their time: to build an old release takes minutes, and fails."""
_BESIDE_COMPILED = (
    "contourpy",
    "cycler",
    "fonttools",
    "joblib",
    "packaging",
    "pyparsing",
    "python-dateutil",
    "pytz",
    "seaborn",
    "six",
    "threadpoolctl",
)
"""What a frozen list pins because of them: old releases of these make pip search for long beside new ones."""
_CYTHON = "cython<3"
"""What the build code of PyYAML 5 and others of its time needs, and that of newer packages does not take."""
_MOST_RELAXED = 24
"""Times that pins are given up."""
_PREFIX = "env-"
_POINTER = "environment"
"""Names the folder beside it that is whole: an environment cannot be moved, so it is made where it stays."""
Tell = Callable[[Message], None]


class NoWheelError(InputError):
    """There is no torch_npu of the release for this Python and machine, or no torch."""


def private_environment(
    wanted: Wanted,
    index: str | None,
    torch_index: str | None,
    tell: Tell,
    hearing: Hearing = Hearing(),  # noqa: B008 - a constant
) -> Path:
    """The interpreter of the environment with these packages; made, with the network, if there is none.

    Raises:
        NoWheelError: torch_npu is wanted, and there is none; for a day nobody looks again.
        InputError: the packages cannot be installed.
        CancelledError: it was cancelled; what was begun is removed.
        OutputError: there is no private folder.
    """
    try:
        folder = private_folder("verify", _key(wanted))
    except OSError as error:
        raise OutputError(Message.of("verify.no-cache", reason=reason(error))) from error
    if folder is None:
        raise OutputError(Message.of("verify.no-cache", reason="HOME"))
    made = _existing(folder)
    if made is not None:
        return made
    if _is_absent(folder):
        raise NoWheelError(Message.of("verify.no-wheel", packages=_shown(wanted.specifiers)))
    tell(
        Message.of(
            "verify.installs", folder=shown(folder), packages=_shown((*wanted.options, *wanted.specifiers))
        )
    )
    own = torch_index or TORCH_INDEX
    left_out = [name for name in wanted.left_out if name not in _PROVIDED]
    refused = [entry for entry in wanted.refused if own not in entry]
    if left_out:
        tell(Message.of("verify.leaves-out", packages=_shown(left_out)))
    if refused:
        tell(Message.of("verify.refuses", entries=_shown(refused)))
    if wanted.unlisted:
        tell(Message.of("verify.unlisted", packages=_shown(wanted.unlisted)))
    if wanted.unusable:
        tell(Message.of("verify.unusable", entries=_shown(wanted.unusable)))
    return _make(folder, wanted, _Indexes(index, torch_index), tell, hearing)


def _shown(texts: Sequence[str]) -> str:
    return ", ".join(shown(text) for text in texts)


def _key(wanted: Wanted) -> str:
    described = "\n".join((sys.executable, sys.version, *wanted.options, *wanted.specifiers))
    return hashlib.sha256(described.encode()).hexdigest()[:16]


def _is_absent(folder: Path) -> bool:
    try:
        return time.time() - (folder / _ABSENT).stat().st_mtime < _ABSENT_FOR
    except OSError:
        return False


def _existing(folder: Path) -> Path | None:
    try:
        name = read_regular(folder / _POINTER, 1000).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    python = interpreter_in(folder / Path(name).name)
    return python if is_file(python) else None


def interpreter_in(environment: Path) -> Path:
    """Where an environment has its interpreter."""
    if sys.platform == "win32":
        return environment / "Scripts" / "python.exe"
    return environment / "bin" / "python"


class _Indexes(NamedTuple):
    """The indexes that pip asks."""

    general: str | None
    torch: str | None
    """The user's for torch; None is PyTorch's own, where it can be reached."""
    has_torch: bool = True

    def reached(self, python: Path, tell: Tell, hearing: Hearing) -> _Indexes:
        """Those that answer: pip asks each one for every package, and waits for each that does not."""
        if self.torch is not None:
            return self
        command = [str(python), "-I", "-c", REACHES, TORCH_INDEX]
        quiet = Hearing(cancelled=hearing.cancelled)
        has_torch = run_to_end(command, seconds=_SECONDS_TO_REACH, hearing=quiet).code == 0
        if not has_torch:
            tell(Message.of("verify.out-of-reach", index=TORCH_INDEX))
        return self._replace(has_torch=has_torch)

    @property
    def options(self) -> list[str]:
        """As pip takes them."""
        general = [] if self.general is None else ["--index-url", self.general]
        return [*general, *(["--extra-index-url", self.torch or TORCH_INDEX] if self.has_torch else [])]


def _make(folder: Path, wanted: Wanted, indexes: _Indexes, tell: Tell, hearing: Hearing) -> Path:
    remove_unlocked(folder, _PREFIX, lambda path: interpreter_in(path) == _existing(folder))
    environment = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    lock = locked_folder(environment)
    try:
        done = run_to_end(
            [sys.executable, "-I", "-m", "venv", str(environment)], seconds=_SECONDS, hearing=hearing
        )
        if done.code != 0:
            raise InputError(Message.of("verify.no-venv", said=shown(done.said)))
        python = interpreter_in(environment)
        reached = indexes.reached(python, tell, hearing)
        _Pip(python, folder, wanted, reached, tell, hearing).install()
        pointer = folder / f"{environment.name}.pointer"
        pointer.write_text(environment.name, encoding="ascii")
        pointer.replace(folder / _POINTER)
    except BaseException:
        shutil.rmtree(environment, ignore_errors=True)
        raise
    finally:
        if lock is not None:
            os.close(lock)
    return python


@attrs.define
class _Pip:
    """Installs into one environment: first resolved, so that it can be said what comes, and pins that cannot
    be had are given up one after the other."""

    python: Path
    folder: Path
    wanted: Wanted
    indexes: _Indexes
    tell: Tell
    hearing: Hearing
    builds_old: bool = False

    def install(self) -> None:
        """Install what is wanted.

        Raises:
            NoWheelError: it is torch_npu itself that there is not.
            InputError: something cannot be installed.
        """
        for _ in range(_MOST_RELAXED):
            done, files = self._resolved()
            done = self._installed(files) if done.code == 0 else done
            if done.code == 0:
                return
            problem = problem_of(done.text, done.said)
            fewer = self._relaxed(problem)
            if fewer is None:
                break
            self.wanted = fewer
        raise self._error(problem)

    def _installed(self, files: Sequence[File]) -> Done:
        """Install what was resolved; a package may only now turn out not to be built."""
        places = [text for text in self.wanted.specifiers if is_place(text)]
        of_index = [file for file in files if file.is_of_index]
        if files and len(of_index) + len(places) == len(files):
            self._tell_sizes(of_index)
            exact = [f"{file.name}=={file.version}" for file in of_index]
            return self._run("--no-deps", "--", *exact, *places)
        done = self._run("--", *self.wanted.specifiers)
        if done.code == 0 and self.wanted.apart:
            done = self._run("--no-deps", "--", *self.wanted.apart)
        return done

    def _resolved(self) -> tuple[Done, Sequence[File]]:
        """The files that would be installed: beside torch_npu none of CUDA, for which it has stand-ins."""
        found: list[File] = []
        apart = ("--no-deps", "--", *self.wanted.apart)
        for arguments in ((apart,) if self.wanted.apart else ()) + (("--", *self.wanted.specifiers),):
            done, files = self._asked(*arguments)
            if done.code != 0:
                return done, ()
            found += files
        if self._has_wheel:
            found = [file for file in found if not needs_cuda(canonicalize_name(file.name))]
        return done, found

    def _asked(self, *arguments: str) -> tuple[Done, Sequence[File]]:
        report = self.folder / f"{self.python.parents[1].name}.json"
        try:
            done = self._run("--dry-run", "--report", str(report), *arguments)
            return done, files_of(report) if done.code == 0 else ()
        finally:
            report.unlink(missing_ok=True)

    def _relaxed(self, problem: Problem) -> Wanted | None:
        """What can be had in place of what cannot, which is said; None where there is nothing."""
        if self._lacks_torch(problem):
            other = self.wanted.with_any_build()
            if other is not None:
                self.tell(Message.of("verify.any-build", torch=shown(self.wanted.specifiers[0])))
            return other
        if problem.kind == "build" and not self.builds_old:
            self.builds_old = True
            return self.wanted
        if problem.kind not in ("missing", "conflict", "build"):
            return None
        specifiers, kept = self.wanted.specifiers, self.wanted.of_torch
        is_compiled = not set(_COMPILED).isdisjoint(problem.packages)
        packages = (*problem.packages, *((*_COMPILED, *_BESIDE_COMPILED) if is_compiled else ()))
        fewer = relaxed(specifiers, packages, kept, problem.packages)
        if fewer is not None:
            changed = [old for old, new in zip(specifiers, fewer, strict=True) if old != new]
            self.tell(Message.of("verify.relaxes", packages=_shown(changed), why=problem.message))
            return self.wanted._replace(specifiers=fewer)
        fewer = without(specifiers, problem.packages, kept) if problem.kind != "conflict" else specifiers
        if fewer == specifiers:
            return None
        self.tell(Message.of("verify.drops", packages=_shown(problem.packages), why=problem.message))
        return self.wanted._replace(specifiers=fewer)

    def _lacks_torch(self, problem: Problem) -> bool:
        """Whether it is torch or torch_npu that there is not, or not for each other."""
        needed = {canonicalize_name(WHEEL), "torch"}
        is_missing = problem.kind == "missing" and not needed.isdisjoint(problem.packages)
        fits_none = problem.kind == "conflict" and needed.issuperset(problem.packages)
        return self._has_wheel and (is_missing or fits_none)

    @property
    def _has_wheel(self) -> bool:
        return any(text.startswith(WHEEL) for text in (*self.wanted.specifiers, *self.wanted.apart))

    def _tell_sizes(self, files: Sequence[File]) -> None:
        listed = self.folder / f"{self.python.parents[1].name}.urls"
        listed.write_text(json.dumps([file.url for file in files]), encoding="utf-8")
        done = run_to_end(
            [str(self.python), "-I", "-c", SIZES, str(listed)],
            seconds=_SECONDS_FOR_SIZES,
            hearing=Hearing(cancelled=self.hearing.cancelled),
        )
        listed.unlink(missing_ok=True)
        try:
            sizes = list(map(int, json.loads(done.text)))
        except (ValueError, TypeError):
            sizes = []
        if len(sizes) == len(files):
            self.tell(download_message(files, sizes))

    def _run(self, *arguments: str) -> Done:
        pip = [str(self.python), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        pip += (*_RETRIES, "--only-binary", ",".join(_COMPILED))
        # Behind `--` nothing is an option. What the user chooses comes last, since pip takes the last index.
        given = [*self.wanted.options, *self.indexes.options, *arguments]
        return run_to_end(
            [*pip, *given], seconds=_SECONDS, hearing=self.hearing, variables=self._constraints()
        )

    def _constraints(self) -> dict[str, str]:
        """Variables by which packages are built with tools of their time: by pip up to 25.2, and later."""
        file = self.folder / "constraints.txt"
        tools = (BUILD_TOOLS, _CYTHON) if self.builds_old else (BUILD_TOOLS,)
        file.write_text("\n".join((*tools, "")), encoding="utf-8")
        names = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT")
        return {name: f"{os.environ.get(name, '')} {file.as_uri()}".strip() for name in names}

    def _error(self, problem: Problem) -> InputError:
        if self._lacks_torch(problem):
            if self.indexes.has_torch:
                (self.folder / _ABSENT).touch()
            return NoWheelError(
                Message.of("verify.no-wheel", packages=_shown((*self.wanted.specifiers, *self.wanted.apart)))
            )
        return InputError(Message.of("verify.pip-failed", said=problem.message))
