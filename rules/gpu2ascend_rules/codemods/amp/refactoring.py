"""Mixed precision as an editor offers it: enable it, or move it between apex and torch_npu."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from ...edits.offsets import text_edits
from ...model.finding import Applicability, Fix, Message, Plan, Requirement
from ...options.options import AMP_TRANSPLANT_BEFORE, MigrationOptions
from ...text.source_file import SourceFile
from ..automatic.pair import has_pair, loops_at_once, pair_edit
from ..from_cpu.script import moving_edits, names_no_device

NATIVE_AMP = "torch_npu.npu.amp"
_KNOWN_PRECISION = (b"autocast", b"GradScaler", b"scale_loss", b".half(")


class AmpRefactoring(enum.Enum):
    """One way to change the precision of a training script."""

    ENABLE = "enable"
    """A float32 loop gets autocast and a gradient scaler."""
    NATIVE = "native"
    """``apex.amp`` becomes torch_npu's own."""
    TRANSPLANT = "transplant"
    """``torch.cuda.amp`` becomes ``apex.amp``, for 1.5.0."""

    FROM_CPU = "from_cpu"
    """A script that names no device moves to the NPU: the step before its precision matters there."""
    TRANSFER = "transfer"
    """A script imports transfer_to_npu, and nothing else in it changes."""

    @property
    def title(self) -> Message:
        """What the menu says."""
        return Message.of(f"amp.refactoring.{self.value}")


def offers_amp(source: SourceFile, options: MigrationOptions) -> Iterator[AmpRefactoring]:
    """What may be possible with a file, judged by its text: to be certain costs more time than a menu has."""
    data, version = source.data, options.version
    if names_no_device(source):
        yield AmpRefactoring.FROM_CPU
    if options.target.ways and b"cuda" in data and not has_pair(source) and _is_script(source):
        yield AmpRefactoring.TRANSFER
    has_native = version is None or version >= AMP_TRANSPLANT_BEFORE
    if not has_native:
        if _has_any(data, b"autocast", b"GradScaler"):
            yield AmpRefactoring.TRANSPLANT
        return
    if b"apex" in data and b"scale_loss" in data:
        yield AmpRefactoring.NATIVE
    elif b".backward(" in data and b".step(" in data and not _has_any(data, *_KNOWN_PRECISION):
        yield AmpRefactoring.ENABLE


def _has_any(data: bytes, *words: bytes) -> bool:
    return any(word in data for word in words)


def _is_script(source: SourceFile) -> bool:
    return b"__main__" in source.data or loops_at_once(source)


def amp_fix(source: SourceFile, kind: AmpRefactoring, options: MigrationOptions) -> Fix:
    """The fix of a refactoring, with the imports that it needs.

    Raises:
        Declined: it cannot be made here; the reason says why.
        libcst.ParserSyntaxError: the text is no Python.
    """
    from .enable import Precision, with_amp
    from .from_apex import native_amp
    from .to_apex.transplant import transplanted

    if kind is AmpRefactoring.FROM_CPU:
        return Fix(kind.title, Applicability.UNSAFE, Plan(edits=moving_edits(source, options)))
    if kind is AmpRefactoring.TRANSFER:
        return Fix(kind.title, Applicability.UNSAFE, Plan(edits=(pair_edit(source),)))
    requires = frozenset({Requirement("torch_npu")})
    if kind is AmpRefactoring.TRANSPLANT:
        text, requires = transplanted(source.text, options.amp_model).text, frozenset()
    elif kind is AmpRefactoring.NATIVE:
        text = native_amp(source.text, options.target_model, NATIVE_AMP)
    else:
        text = with_amp(source.text, options.target_model, Precision(NATIVE_AMP)).text
    plan = Plan(edits=text_edits(source.text, text), requires=requires)
    return Fix(kind.title, Applicability.UNSAFE, plan)
