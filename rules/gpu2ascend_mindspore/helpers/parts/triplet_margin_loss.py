"""torch.nn.functional.triplet_margin_loss"""

from mindspore import ops

from .pairwise_distance import pairwise_distance


def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """How much nearer the positive is than the negative, at most by the margin."""
    if size_average is not None or reduce is not None:
        raise ValueError("size_average and reduce: use reduction")
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    losses = ops.relu(margin + pairwise_distance(anchor, positive, p, eps) - far)
    return {"mean": losses.mean, "sum": losses.sum, "none": lambda: losses}[reduction]()
