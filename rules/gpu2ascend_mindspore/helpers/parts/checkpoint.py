"""torch.utils.checkpoint.checkpoint"""


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """The function itself: what it computes is kept for the gradient, and not computed again."""
    return function(*args, **kwargs)
