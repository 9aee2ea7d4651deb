"""What an interpreter has: asked of itself, outside the project and without its variables."""

from __future__ import annotations

import json
import os
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import Version

from ...project.errors import InputError
from ...project.paths import is_file, shown
from ..running.programs import run_to_end

FIRST_WITH_DEVICE = Version(2, 10, 0)
"""The first torch with a device that can be made in Python. An older one needs torch_npu itself beside it."""
OLDEST_TORCH = Version(2, 1, 0)
"""The first for which there is a torch_npu that can be emulated."""
OLDEST_PYTHON = Version(3, 10, 0)
_SECONDS = 120
_QUESTION = """
import json, sys
from importlib import metadata
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "torch": version("torch")}))
"""


@attrs.frozen
class Interpreter:
    """An interpreter that can run a project."""

    path: Path
    python: str
    torch: str
    """As its metadata has it, such as ``2.13.0+cpu``."""

    @property
    def has_device(self) -> bool:
        """Whether its torch is new enough for a device in Python."""
        return _numbers(self.torch) >= FIRST_WITH_DEVICE


def inspect_interpreter(path: Path) -> Interpreter:
    """What the interpreter has.
    Raises InputError: it is no interpreter, has no torch, or one on which the device cannot be made."""
    if not is_file(path):
        raise InputError(Message.of("verify.no-python", path=shown(path)))
    done = run_to_end([str(path), "-I", "-c", _QUESTION], seconds=_SECONDS)
    try:
        answer = json.loads(done.text.strip().rpartition("\n")[2]) if done.code == 0 else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise InputError(Message.of("verify.bad-python", path=shown(path), said=done.last_line))
    torch = answer["torch"]
    if torch is None:
        raise InputError(Message.of("verify.no-torch", path=shown(path)))
    if _numbers(torch) < OLDEST_TORCH:
        given = {"torch": torch, "oldest": OLDEST_TORCH, "simulated": FIRST_WITH_DEVICE}
        raise InputError(Message.of("verify.old-torch", path=shown(path), **given))
    python = answer["python"]
    if _numbers(python) < OLDEST_PYTHON:
        raise InputError(
            Message.of("verify.old-python", path=shown(path), python=python, oldest=OLDEST_PYTHON)
        )
    return Interpreter(Path(os.path.abspath(path)), answer["python"], torch)  # noqa: PTH100 - a link into an environment


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.partition("+")[0].split(".")[:3]
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in parts)
