"""AUTO109: libraries that know the NPU by themselves, beside transfer_to_npu."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.context import Context
from ...engine.events import ImportRef
from ...engine.rule import Example, on
from ...model.finding import Finding, Severity
from .automatic_rule import AutomaticRule


class TransferLibrary(AutomaticRule):
    """A library with its own NPU support is used with transfer_to_npu.

    What it does: Reports the first import of accelerate, transformers, peft and trl in a file.

    Why it matters on the NPU: transfer_to_npu treats these libraries specially: some of their functions get
    the original ``torch.cuda.is_available``, which returns False. If one of those functions raises, this
    stays so for the rest of the program.

    Example: ``from accelerate import Accelerator``.

    Use instead: a migration without ``--auto``; these libraries select the NPU by themselves.
    """

    code = "AUTO109"
    examples = (
        Example("from accelerate import Accelerator\n"),
        Example("import transformers.trainer\n"),
        Example.unchanged("import diffusers\n"),
    )

    @on.imports(
        "accelerate", "accelerate.**", "transformers", "transformers.**", "peft", "peft.**", "trl", "trl.**"
    )
    def imported(self, ref: ImportRef, ctx: Context) -> Iterator[Finding]:
        root = ref.name.partition(".")[0]
        first = min(ctx.source.names.imports_of(root), key=lambda item: item.node.start_byte)
        if first.node.start_byte == ref.node.start_byte:
            yield self.report(ref.node, "library", Severity.INFORMATION, package=root)
