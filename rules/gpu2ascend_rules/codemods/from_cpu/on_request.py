"""A training script that names no device moves to the NPU, on request (``--from-cpu``)."""

from __future__ import annotations

from ...engine.suppressions import Suppressions
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ..codemod import Codemod, Made
from .script import moving_edits, names_no_device


class FromCpu(Codemod):
    """Moves the model, its losses and the batches. The rule of this code finds such scripts."""

    code = "NPU214"
    option = "from_cpu"
    after = ("amp_transplant",)
    is_of_programs_files = False
    done_key = "moved"

    def may_change(self, source: SourceFile, options: MigrationOptions) -> bool:
        return names_no_device(source)

    def make(self, source: SourceFile, options: MigrationOptions, ignores: Suppressions) -> Made:
        return Made(moving_edits(source, options))
