"""What the code of the hints on dynamic shapes stands for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Step
from .hints import CODE


class DynamicShapes(Step):
    """Shapes change during training, on request (``analyze --mode dynamic_shape``).

    What it does: Reports code that makes shapes dynamic, as far as the source shows it: results whose sizes
    depend on values, masks as indices, padding to the longest item of a batch, random image sizes, and
    smaller batches at the end of an epoch.

    Why it matters on the NPU: With ``jit_compile`` an operator is compiled again for each shape, which takes
    seconds every time. Without it, or with the binary kernels of the operators, no shape is compiled.

    Example: ``x[scores > threshold]``.

    Use instead: ``torch.where`` or ``masked_fill`` on whole tensors, lengths padded to a few sizes,
    ``drop_last=True``; otherwise ``torch_npu.npu.set_compile_mode(jit_compile=False)``.
    """

    code = CODE
    name = "dynamic-shapes"
    family = Family.DATA
