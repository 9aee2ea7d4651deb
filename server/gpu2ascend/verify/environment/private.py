"""The environment that is made once for a list of packages, in a private folder of the user's cache."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ...project.errors import InputError, OutputError, reason
from ...project.files.user_cache import private_folder
from ...project.paths import is_file, shown
from ...project.regular_files import read_regular
from ..running.programs import Hearing, run_to_end
from .requirements import WHEEL, Wanted

TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
_SECONDS = 3600
_ABSENT = "absent"
"""Marks a folder for an environment that the index has no torch_npu for."""
_NO_WHEEL = re.compile(rf"No matching distribution found for (?:{WHEEL}|torch)==")
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
        NoWheelError: torch_npu is wanted, and there is none; known from then on, too.
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
    if is_file(folder / _ABSENT):
        raise NoWheelError(Message.of("verify.no-wheel", packages=_shown(wanted.specifiers)))
    tell(
        Message.of(
            "verify.installs", folder=shown(folder), packages=_shown((*wanted.options, *wanted.specifiers))
        )
    )
    if wanted.left_out:
        tell(Message.of("verify.leaves-out", packages=_shown(wanted.left_out)))
    if wanted.refused:
        tell(Message.of("verify.refuses", entries=_shown(wanted.refused)))
    if wanted.unusable:
        tell(Message.of("verify.unusable", entries=_shown(wanted.unusable)))
    return _make(folder, wanted, index, torch_index, hearing)


def _shown(texts: Sequence[str]) -> str:
    return ", ".join(shown(text) for text in texts)


def _key(wanted: Wanted) -> str:
    described = "\n".join((sys.executable, sys.version, *wanted.options, *wanted.specifiers))
    return hashlib.sha256(described.encode()).hexdigest()[:16]


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


def _make(folder: Path, wanted: Wanted, index: str | None, torch_index: str | None, hearing: Hearing) -> Path:
    environment = Path(tempfile.mkdtemp(prefix="env-", dir=folder))
    try:
        _run([sys.executable, "-I", "-m", "venv", str(environment)], "verify.no-venv", hearing)
        python = interpreter_in(environment)
        indexes = [] if index is None else ["--index-url", index]
        indexes += ["--extra-index-url", torch_index or TORCH_INDEX]
        pip = [str(python), "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
        # Behind `--` nothing is an option. What the user chooses comes last, since pip takes the last index.
        given = [*wanted.options, *indexes, "--", *wanted.specifiers]
        _install([*pip, *given], folder, wanted, hearing)
        pointer = folder / f"{environment.name}.pointer"
        pointer.write_text(environment.name, encoding="ascii")
        pointer.replace(folder / _POINTER)
    except BaseException:
        shutil.rmtree(environment, ignore_errors=True)
        raise
    return python


def _install(command: list[str], folder: Path, wanted: Wanted, hearing: Hearing) -> None:
    try:
        _run(command, "verify.pip-failed", hearing)
    except InputError as error:
        if not any(text.startswith(WHEEL) for text in wanted.specifiers) or not _NO_WHEEL.search(str(error)):
            raise
        (folder / _ABSENT).touch()
        raise NoWheelError(Message.of("verify.no-wheel", packages=_shown(wanted.specifiers))) from error


def _run(command: list[str], message_id: str, hearing: Hearing) -> None:
    done = run_to_end(command, seconds=_SECONDS, hearing=hearing)
    if done.code != 0:
        raise InputError(Message.of(message_id, command=shown(" ".join(command)), said=shown(done.said)))
