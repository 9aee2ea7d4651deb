"""torch.nn.modules.loss._Loss"""

from mindspore import nn


class _Loss(nn.Cell):
    """What losses derive from: a cell with the name of a reduction."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = (
                ("mean" if size_average in (None, True) else "sum") if reduce in (None, True) else "none"
            )
        self.reduction = reduction
