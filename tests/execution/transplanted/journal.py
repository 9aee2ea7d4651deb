"""Runs a script for PyTorch 1.5.0, whose torch has the NPU itself, and says what it did with apex."""

import os
import runpy
import sys

import torch
import torch_npu  # noqa: F401
from apex import amp


def noted(function, note):
    """A function that is noted in the journal when it is called."""

    def called(*arguments, **keywords):
        amp.JOURNAL.append(note(*arguments))
        return function(*arguments, **keywords)

    return called


def clipped(parameters, *_):
    """Whose gradients are clipped."""
    made_by = getattr(parameters, "gi_code", None)
    return f"clip {made_by.co_name}" if made_by is not None else "clip"


wrapper = torch.nn.parallel.DistributedDataParallel
wrapper.__init__ = noted(wrapper.__init__, lambda *_: "wrap")
torch.nn.utils.clip_grad_norm_ = noted(torch.nn.utils.clip_grad_norm_, clipped)
sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120
runpy.run_path(sys.argv[0], run_name="__main__")
print("journal:", "; ".join(amp.JOURNAL))
