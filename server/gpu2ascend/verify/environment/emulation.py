"""Which device a run gets: torch_npu itself on an emulated CANN where possible, else one in Python."""

from __future__ import annotations

import enum
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import UnknownVersionError, Version, choose_version

from ...project.errors import InputError, OutputError, reason
from ...project.files.user_cache import private_folder
from ...project.paths import shown
from ..running.programs import run_to_end
from .interpreter import Interpreter

_SECONDS = 600
_LIBRARIES = "LD_LIBRARY_PATH"
_QUESTION = """
import sys
sys.path.insert(0, sys.argv[1])
from gpu2ascend_simulator.cann.prepare import main
main(sys.argv[2])
"""


class Choice(enum.Enum):
    """Which device is wanted."""

    AUTO = "auto"
    """The emulated one where that is possible."""
    EMULATED = "emulated"
    PYTHON = "python"


@attrs.frozen
class Device:
    """What the processes of a run have for an NPU."""

    variables: Mapping[str, str] = attrs.field(factory=dict)
    """By which they find the emulated CANN; none for the device in Python."""
    torch_npu: str | None = None
    """The release of the vendor's wheel that runs; None for the device in Python."""
    has_cuda: bool = False
    """Whether torch_npu runs beside a torch that was built for CUDA."""
    reason: Message | None = None
    """Why it is the device in Python."""

    @property
    def paths(self) -> Mapping[str, str]:
        """What a torch that was built for CUDA needs to be imported where CUDA is not installed."""
        return {name: value for name, value in self.variables.items() if name == _LIBRARIES}

    def release_or(self, version: Version) -> Version:
        """The release that runs; the given one where it is simulated, or the tables do not know the wheel."""
        if self.torch_npu is None:
            return version
        try:
            return choose_version(self.torch_npu).version
        except UnknownVersionError:
            return version


def has_wheels() -> bool:
    """Whether torch_npu is made for this machine."""
    return sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")


def device_of(interpreter: Interpreter, folder: Path, choice: Choice) -> Device:
    """The device that the interpreter can have.

    Args:
        folder: where the simulator is, which the interpreter is asked by.

    Raises:
        InputError: the emulated device is wanted, and cannot be had.
        OutputError: there is no private folder for what is built.
        CancelledError: it was cancelled.
    """
    if choice is Choice.PYTHON:
        return Device(reason=Message.of("verify.device.chosen"))
    answer = _asked(interpreter.path, folder)
    if "torch_npu" in answer:
        return Device(answer["variables"], str(answer["torch_npu"]), bool(answer["has_cuda"]))
    why = Message.of(f"verify.device.{answer['reason']}", detail=shown(str(answer["detail"])[-500:]))
    if choice is Choice.EMULATED:
        raise InputError(why)
    return Device(reason=why)


def _asked(python: Path, folder: Path) -> Mapping[str, Mapping[str, str]]:
    try:
        cache = private_folder("verify", "cann")
    except OSError as error:
        raise OutputError(Message.of("verify.no-cache", reason=reason(error))) from error
    if cache is None:
        raise OutputError(Message.of("verify.no-cache", reason="HOME"))
    done = run_to_end([str(python), "-I", "-c", _QUESTION, str(folder), str(cache)], seconds=_SECONDS)
    try:
        answer = json.loads(done.text.strip().rpartition("\n")[2]) if done.code == 0 else None
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"reason": "build", "detail": done.said}  # type: ignore[dict-item]
