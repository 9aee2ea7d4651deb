"""What an editor's analysis has besides its findings, in a separate process: kernels, and the copy."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.choices import AnalysisMode
from gpu2ascend_rules.options.options import MigrationOptions

from ...files.places import input_directory
from ...kernels.model import SizedKernel
from ...kernels.sized import sized_kernels
from ...paths import shown
from ...processes.cancellable import CancellableProcess, Reporter
from .detecting_copy import DetectingCopy, write_detecting_copy


@attrs.frozen(kw_only=True)
class AdditionsRequest:
    """A project, and where its copy goes."""

    root: Path
    options: MigrationOptions
    output: Path | None = None
    """The directory for the copy; without one there is none."""
    force: bool = False
    language: str = "en"


class Additions(NamedTuple):
    """What was found and written."""

    kernels: tuple[SizedKernel, ...] = ()
    copy: DetectingCopy | None = None


class AdditionsProcess:
    """One run. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: AdditionsRequest) -> None:
        self._process = CancellableProcess(_Job(request))

    def run(self) -> Additions:
        """Start the process and wait for it.
        Raises ProjectError: the folder cannot be read, the copy cannot be written, or it was cancelled."""
        return self._process.run(lambda event: None)

    def cancel(self) -> None:
        """End it."""
        self._process.cancel()


@attrs.frozen
class _Job:
    """What the process does."""

    request: AdditionsRequest

    def __call__(self, reporter: Reporter) -> Additions:
        request = self.request
        options, modes = request.options, request.options.analysis_modes
        root = input_directory(request.root)
        sizes = AnalysisMode.TORCH_APIS in modes
        kernels = sized_kernels(root, options.exclude, options.max_file_bytes) if sizes else ()
        if request.output is None or AnalysisMode.DYNAMIC_SHAPE not in modes:
            return Additions(kernels)
        force, language = request.force, request.language
        copy = write_detecting_copy(request.root, request.output, options, force=force, language=language)
        return Additions(kernels, copy)

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))
