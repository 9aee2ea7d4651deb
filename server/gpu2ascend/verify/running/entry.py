"""The entry command of a project as the processes that are to be started."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.plain.python_files import HEAD_BYTES, MODULE_SUFFIXES

from ...project.entries.main_files import main_file_candidates
from ...project.errors import InputError
from ...project.files.discover import is_python_on_disk
from ...project.paths import is_directory, is_file, shown
from ...project.regular_files import head_of, read_inside
from .starters import FOLDER

_PYTHON = re.compile(r"(?:pythonw?|python3(?:\.\d+)?|py)(?:\.exe)?", re.IGNORECASE)

_SHELL = ".sh"
_POINT = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z][\w.-]*)[\"']?\s*=\s*[\"']?(?P<module>[A-Za-z_][\w.]*)\s*:\s*(?P<function>[A-Za-z_]\w*)"
)
_CALL = "import sys; from {module} import {function}; sys.argv[0] = {name!r}; sys.exit({function}())"
_MAX_BYTES = 1_000_000
_INSTALLABLE = ("setup.py", "pyproject.toml", "setup.cfg")
_MODULES = {"torchrun": "torch.distributed.run"}
"""Launchers that are modules: their scripts may be missing, or be those of another environment."""


_LAUNCHERS = frozenset(
    {
        "torch.distributed.run",
        "torch.distributed.launch",
        "accelerate.commands.launch",
        "deepspeed.launcher.runner",
    }
)


_WITHOUT_PEOPLE = {
    "CLEARML_OFFLINE_MODE": "1",
    "COMET_MODE": "disabled",
    "MPLBACKEND": "Agg",
    "NEPTUNE_MODE": "debug",
    "SDL_VIDEODRIVER": "dummy",
    "SWANLAB_MODE": "disabled",
    "WANDB_MODE": "disabled",
}
"""Keep programs from asking for an account, and from opening a window that somebody must close."""


class Command(NamedTuple):
    """What is started."""

    arguments: tuple[str, ...]
    is_launcher: bool
    """Whether it starts the ranks itself."""


def command_of(words: Sequence[str], project: Path, python: Path) -> Command:
    """The command for the entry that the user names.
    Raises InputError: there is no such script or program."""
    require_script(words, project)
    first = words[0]
    if first in ("-m", "-c"):
        return Command((str(python), *words), _is_launcher_of_torch(words))
    if _PYTHON.fullmatch(first) is not None:
        return Command((str(python), *words[1:]), _is_launcher_of_torch(words[1:]))
    if _is_script(first, project):
        return Command((str(python), *words), False)
    if first in _MODULES:
        return Command((str(python), "-m", _MODULES[first], *words[1:]), True)
    call = console_scripts(project).get(first)
    if call is not None:
        return Command((str(python), "-c", call, *words[1:]), False)
    if first.endswith(_SHELL) and is_file(project / first):
        return Command((shutil.which("bash") or "sh", *words), True)  # whether it may be executed or not
    program = _program(first, project, python)
    if program is None:
        raise InputError(Message.of("verify.no-program", name=shown(first)))
    return Command((program, *words[1:]), True)


def _is_launcher_of_torch(words: Sequence[str]) -> bool:
    module = words[words.index("-m") + 1] if "-m" in words[:-1] else ""
    return module in _LAUNCHERS


def console_scripts(project: Path) -> dict[str, str]:
    """The programs that an installer of the project would make, each with the code that it runs."""
    found: dict[str, str] = {}
    for listed in _INSTALLABLE:
        try:
            text = read_inside(project, project / listed, _MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        for point in _POINT.finditer(text):
            found.setdefault(point["name"], _CALL.format_map(point.groupdict()))
    return found


def require_script(words: Sequence[str], project: Path) -> None:
    """Make sure that a command is given, and that its script is there if it is one.
    Raises InputError: it is not."""
    if not words:
        raise InputError(Message.of("verify.no-command", found=_proposed(project)))
    if words[0].lower().endswith((*MODULE_SUFFIXES, _SHELL)) and not is_file(project / words[0]):
        given = {"path": shown(words[0]), "project": shown(project)}
        raise InputError(Message.of("verify.no-script", **given, found=_proposed(project)))


def _proposed(project: Path) -> Message | str:
    found = main_file_candidates(project)
    return Message.of("project.main-found", scripts=", ".join(map(shown, found))) if found else ""


def _is_script(word: str, project: Path) -> bool:
    """Whether a command begins with a script of Python; one without a suffix is the project's.

    A name alone is that of a program on the PATH, unless the project has no other of that name.
    """
    if word.lower().endswith(MODULE_SUFFIXES):
        return True
    is_program = "/" not in word and os.sep not in word and shutil.which(word) is not None
    return not is_program and is_python_on_disk(project, word)


def _program(name: str, project: Path, python: Path) -> str | None:
    """The path of a launcher: beside the interpreter or on the PATH if it is a name, else in the project.
    Raises InputError: nothing says what runs it."""
    if os.sep not in name and "/" not in name:
        beside = shutil.which(name, path=str(python.parent)) or shutil.which(name)
        if beside is not None:
            return beside
    own = project / name
    if not is_file(own):
        return None
    head = head_of(own, HEAD_BYTES)
    if not head.startswith(b"#!") and b"\0" not in head:
        raise InputError(Message.of("verify.no-interpreter-line", name=shown(name)))
    return str(own)


def packages_of(project: Path) -> list[Path]:
    """Where the packages of a project lie that is installed to be used, as an editable installation has them;
    also those of folders in it that are installed for themselves.

    What is installed in the interpreter would else be the original, if anything.
    """
    inner = (setup.parent for setup in sorted(project.glob("[!.]*/setup.py")))
    found = [folder for folder in inner if _is_installed(folder) and not _hides_python(folder)]
    if not _is_installed(project):
        return found
    source = project / "src"
    is_source = is_directory(source) and not is_file(source / "__init__.py")
    return [*([source] if is_source else []), project, *found]


def _hides_python(folder: Path) -> bool:
    """Whether a module of a folder would be found in place of one of Python's own."""
    return any(path.stem in sys.stdlib_module_names for path in folder.glob("*.py"))


def _is_installed(folder: Path) -> bool:
    return any(is_file(folder / name) for name in _INSTALLABLE)


def environment_of(
    folder: Path, settings: Path, python: Path, packages: Sequence[Path] = ()
) -> dict[str, str]:
    """The variables of every process: the user's, and those by which a process is verified."""
    programs = [str(folder / FOLDER), str(python.parent)]
    path = os.environ.get("PYTHONPATH", "")
    entries = [str(folder), *(entry for entry in path.split(os.pathsep) if entry), *map(str, packages)]
    given = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "VIRTUAL_ENV")}
    return {
        "OMP_NUM_THREADS": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(_free_port()),
        **_WITHOUT_PEOPLE,
        **given,
        "CUDA_VISIBLE_DEVICES": "",  # a GPU of this machine would hide what a machine with NPUs lacks
        "GPU2ASCEND_VERIFY": str(settings),
        "GPU2ASCEND_MESSAGES": str(folder),  # of ranks on the emulated CANN
        "PATH": os.pathsep.join((*programs, given.get("PATH", os.defpath))),
        "PYTHONPATH": os.pathsep.join(entries),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
    }


def environments_of_ranks(common: Mapping[str, str], ranks: int | None) -> list[dict[str, str]]:
    """The variables of each process to start: one, or as many as torchrun would start on one host."""
    if ranks is None:
        return [dict(common)]
    of_all = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "GROUP_RANK": "0"}
    return [
        {**common, **of_all, "RANK": str(rank), "LOCAL_RANK": str(rank), "ROLE_RANK": str(rank)}
        for rank in range(ranks)
    ]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
