"""What the codes of mixed precision stand for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Rule

CODE = "NPU390"
ENABLED = "NPU391"


class AmpTransplant(Rule):
    """``torch.cuda.amp`` is carried over to ``apex.amp``, on request, for PyTorch 1.5.0.

    What it does: Hands models and optimizers to ``amp.initialize`` where the optimizers are made, scales
    each loss within ``amp.scale_loss`` for the optimizers that step next, and takes autocasts and the scaler
    away. A file of which a part has no exact counterpart stays as it is, and the finding says which part.

    Why it matters on the NPU: For 1.5.0 there is no torch.npu.amp: mixed precision is apex's.

    Example: ``scaler.scale(loss).backward()`` becomes ``with amp.scale_loss(loss, optimizer) as scaled_loss:
    scaled_loss.backward()``.

    Use instead: what the finding names; or a newer PyTorch, where ``torch_npu.npu.amp`` is the same as
    ``torch.cuda.amp``.
    """

    code = CODE
    name = "amp-transplant"
    family = Family.AMP


class EnableAmp(Rule):
    """A float32 training loop gets mixed precision, on request (``--enable-amp``).

    What it does: Puts the forward pass and the loss of each training loop under autocast, scales the loss
    by a gradient scaler, unscales gradients before anything reads or changes them, and computes losses that
    autocast refuses in float32. A file in which that cannot be right stays as it is, and the finding says
    where and why.

    Why it matters on the NPU: Its matrix units compute in float16 and bfloat16 many times as fast.

    Example: ``loss.backward()`` becomes ``scaler.scale(loss).backward()``.

    Use instead: what the finding names; or float32, which is slower and just as right.
    """

    code = ENABLED
    name = "enable-amp"
    family = Family.AMP


STEPS: tuple[Rule, ...] = (AmpTransplant(), EnableAmp())
