"""Mixed precision as a migration carries it over or enables it: what becomes of one file."""

from __future__ import annotations

from ...edits.fix_edits import edits_of
from ...edits.offsets import text_edits
from ...engine.rule import Step
from ...engine.suppressions import Suppressions
from ...model.finding import Applicability, Fix, Message, Plan, Requirement, Severity
from ...options.options import AMP_TRANSPLANT_BEFORE, MigrationOptions
from ...text.source_file import SourceFile
from ..codemod import Codemod, Declined, Made
from .refactoring import NATIVE_AMP

_WORDS = (b"autocast", b"GradScaler", b"amp")
_TRAINS = (b".backward(", b"torch")


class AmpTransplant(Codemod, Step):
    """``torch.cuda.amp`` is converted to ``apex.amp``, on request, for PyTorch 1.5.0.

    What it does: Passes models and optimizers to ``amp.initialize`` where the optimizers are created, scales
    each loss within ``amp.scale_loss`` for the optimizers that step next, and removes autocasts and the
    scaler. If a part of a file has no exact counterpart, the file is left unchanged, and the finding says
    which part.

    Why it matters on the NPU: There is no torch.npu.amp for 1.5.0; mixed precision is that of apex.

    Example: ``scaler.scale(loss).backward()`` becomes ``with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()``.

    Use instead: what the finding names; or a newer PyTorch, where ``torch_npu.npu.amp`` works like
    ``torch.cuda.amp``.
    """

    code = "NPU390"
    option = "amp_transplant"
    done_key = "carried"

    def is_asked_for(self, options: MigrationOptions) -> bool:
        version = options.version
        return version is not None and version < AMP_TRANSPLANT_BEFORE and super().is_asked_for(options)

    def may_change(self, source: SourceFile, options: MigrationOptions) -> bool:
        return b"torch" in source.data and any(word in source.data for word in _WORDS)

    def make(self, source: SourceFile, options: MigrationOptions, ignores: Suppressions) -> Made:
        # LibCST is slow to load and is needed for these files only.
        import libcst as cst

        from .to_apex.transplant import transplanted

        try:
            text, reservations = transplanted(source.text, options.amp_model)
        except cst.ParserSyntaxError:
            return Made(())
        edits = text_edits(source.text, text)
        left = (
            self.finding(source, Declined(item.message, item.line), item.message, Severity.WARNING)
            for item in reservations
        )
        return Made(edits, tuple(left) if edits else ())


class EnableAmp(Codemod, Step):
    """A float32 training loop gets mixed precision, on request (``--enable-amp``).

    What it does: Runs the forward pass and the loss of each training loop under autocast, scales the loss
    with a gradient scaler, unscales gradients before anything reads or changes them, and computes losses that
    autocast rejects in float32. If this cannot be done correctly, the file is left unchanged, and the finding
    says where and why.

    Why it matters on the NPU: Its matrix units compute float16 and bfloat16 many times faster.

    Example: ``loss.backward()`` becomes ``scaler.scale(loss).backward()``.

    Use instead: what the finding names; or float32, which is slower but equally correct.
    """

    code = "NPU391"
    option = "enable_amp"
    after = ("amp_transplant", "from_cpu")
    done_key = "enabled"
    declined = Severity.WARNING

    def may_change(self, source: SourceFile, options: MigrationOptions) -> bool:
        return all(word in source.data for word in _TRAINS)

    def make(self, source: SourceFile, options: MigrationOptions, ignores: Suppressions) -> Made:
        # LibCST is slow to load and is needed for these files only.
        import libcst as cst

        from .enable import Precision, with_amp
        from .module import AlreadyMixed

        try:
            text, left = with_amp(source.text, options.target_model, Precision(NATIVE_AMP))
        except cst.ParserSyntaxError:
            return Made(())
        except AlreadyMixed as mixed:
            message = Message.of(f"{self.code}.already", name=mixed.name)
            return Made((), (self.finding(source, mixed, message, Severity.INFORMATION),))
        plan = Plan(edits=text_edits(source.text, text), requires=frozenset({Requirement("torch_npu")}))
        edits = edits_of(source, Fix(self.title, Applicability.UNSAFE, plan))
        return Made(edits, tuple(self.why(source, reason) for reason in left))
