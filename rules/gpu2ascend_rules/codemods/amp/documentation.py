"""What the code of AMP transplant stands for, documented as rules are; `explain` shows it."""

from __future__ import annotations

from ...engine.rule import Family, Rule

CODE = "NPU390"


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


STEPS: tuple[Rule, ...] = (AmpTransplant(),)
