"""torch.nn.CrossEntropyLoss"""

from mindspore import nn, ops


class CrossEntropyLoss(nn.Cell):
    """The loss with its arguments, in a form that is compiled with its gradients."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
        label_smoothing=0.0,
    ):  # fmt: skip
        super().__init__()
        if size_average is not None or reduce is not None:
            is_mean, is_reduced = size_average in (None, True), reduce in (None, True)
            reduction = ("mean" if is_mean else "sum") if is_reduced else "none"
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction
        self.label_smoothing = label_smoothing

    def construct(self, input, target):
        return ops.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )
