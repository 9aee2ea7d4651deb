"""What no finding shows and keeps a migrated project from training on an NPU all the same."""

from __future__ import annotations

import re
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.versions import Version

from ..files.writing.copying import UnreadableError, read_file
from ..paths import join, shown
from ..regular_files import WRITTEN_BY_HAND
from ..report.result import FileOutcome, Framework
from ..report.unexamined import kind_of

_LOADED_BY_TORCH = Version(2, 5, 1)
"""The first version that loads torch_npu by itself."""
_WITHOUT_WHEEL = Version(1, 5, 0)
"""Has the NPU built in; there is nothing to import."""
OF_SETTINGS = frozenset({"NPU1203", "NPU1205"})
"""The rules on trainers in configurations."""
_OF_CODE = "NPU704"
"""That on trainers in code."""
_CONFIGURATIONS = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini")
_ASKS_FOR_GPUS = re.compile(
    rb"""^[ \t]*(?:-[ \t]+)?["']?accelerator["']?[ \t]*[:=][ \t]*["']?(?:gpu|cuda)\b.*$"""
    rb"""|^[ \t]*["']?gpus["']?[ \t]*[:=][ \t]*(?:[1-9-]|\[).*$""",
    re.MULTILINE,
)
_OF_GPUS = re.compile(rb"cuda|cudnn|nccl|nvidia|(?<![A-Za-z])gpu", re.I)
_KEYS = (b"accelerator", b"gpus")
"""One of them is in whatever the pattern finds."""


@attrs.define
class Readiness:
    """Collects what the files of a project say, one by one."""

    version: Version
    device_module: str | None
    """The package that a program must have loaded, where the target needs one."""
    uses_torch: bool = False
    imports_npu: bool = False
    uses_lightning: bool = False
    is_trainer_told: bool = False
    """Whether code itself asks a trainer for GPUs, which is an error of its own."""
    _asking: list[tuple[str, str]] = attrs.field(factory=list)
    """The first configurations that ask a trainer for GPUs: place and line."""

    def note(self, outcome: FileOutcome) -> None:
        """Take a Python file of the output into account."""
        self.uses_torch |= Framework.TORCH in outcome.imports
        self.imports_npu |= Framework.TORCH_NPU in outcome.imports
        self.uses_lightning |= Framework.LIGHTNING in outcome.imports
        self.is_trainer_told |= any(
            item.finding.code == _OF_CODE and item.finding.severity is Severity.ERROR
            for item in outcome.remaining
        )

    def note_other(self, root: str, path: str) -> None:
        """Take another file of the project into account; only configurations are read."""
        if not path.endswith(_CONFIGURATIONS) or self._asking:
            return
        try:
            data = read_file(join(root, path), WRITTEN_BY_HAND).data
        except UnreadableError:
            return
        found = _ASKS_FOR_GPUS.search(data) if any(key in data for key in _KEYS) else None
        if found is not None:
            line = data.count(b"\n", 0, found.start()) + 1
            text = found[0].strip().decode("utf-8", "replace")
            self._asking.append((f"{shown(Path(path).as_posix())}:{line}", text))

    def obstacles(self) -> tuple[Message, ...]:
        """Why the project as a whole cannot be expected to train, or nothing."""
        if self.device_module is None:
            return ()
        found: list[Message] = []
        loads = self.version >= _LOADED_BY_TORCH or self.version == _WITHOUT_WHEEL
        if self.uses_torch and not self.imports_npu and not loads:
            found.append(Message.of("project.not-ready-import", version=self.version))
        if self.uses_lightning and not self.is_trainer_told:
            found += [
                Message.of("project.not-ready-trainer", place=place, text=text)
                for place, text in self._asking
            ]
        return tuple(found)


def names_gpus(root: str, path: str) -> bool:
    """Whether a file that no rule covers names GPUs; one that cannot be read may."""
    if not kind_of(path).may_matter:
        return False
    try:
        return _OF_GPUS.search(read_file(join(root, path), WRITTEN_BY_HAND).data) is not None
    except UnreadableError:
        return True
