"""What the codes of mixed precision stand for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Rule

CODE = "NPU390"
ENABLED = "NPU391"


class AmpTransplant(Rule):
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

    code = CODE
    name = "amp-transplant"
    family = Family.AMP


class EnableAmp(Rule):
    """A float32 training loop gets mixed precision, on request (``--enable-amp``).

    What it does: Runs the forward pass and the loss of each training loop under autocast, scales the loss
    with a gradient scaler, unscales gradients before anything reads or changes them, and computes losses that
    autocast rejects in float32. If this cannot be done correctly, the file is left unchanged, and the finding
    says where and why.

    Why it matters on the NPU: Its matrix units compute float16 and bfloat16 many times faster.

    Example: ``loss.backward()`` becomes ``scaler.scale(loss).backward()``.

    Use instead: what the finding names; or float32, which is slower but equally correct.
    """

    code = ENABLED
    name = "enable-amp"
    family = Family.AMP


STEPS: tuple[Rule, ...] = (AmpTransplant(), EnableAmp())
