"""What an editor's analysis has besides its findings, in a separate process: kernels, and the copy."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.options.choices import AnalysisMode

from ...files.places import input_directory
from ...kernels.model import SizedKernel
from ...kernels.sized import sized_kernels
from ...processes.cancellable import FolderWork, Reporter
from .detecting_copy import DetectingCopy, write_detecting_copy


class Additions(NamedTuple):
    """What was found and written."""

    kernels: tuple[SizedKernel, ...] = ()
    copy: DetectingCopy | None = None


@attrs.frozen(kw_only=True)
class AdditionsWork(FolderWork):
    """The work; nothing of it is reported."""

    output: Path | None = None
    """The directory for the copy; without one there is none."""
    force: bool = False
    language: str = "en"

    def __call__(self, reporter: Reporter) -> Additions:
        options, modes = self.options, self.options.analysis_modes
        root = input_directory(self.root)
        sizes = AnalysisMode.TORCH_APIS in modes
        kernels = sized_kernels(root, options.exclude, options.max_file_bytes) if sizes else ()
        if self.output is None or AnalysisMode.DYNAMIC_SHAPE not in modes:
            return Additions(kernels)
        force, language = self.force, self.language
        copy = write_detecting_copy(self.root, self.output, options, force=force, language=language)
        return Additions(kernels, copy)
