"""torch.hann_window"""

import mindspore as ms
from mindspore import ops


def hann_window(
    window_length,
    periodic=True,
    *,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """A window of a raised cosine."""
    return ops.hann_window(window_length, periodic=periodic).astype(ms.float32 if dtype is None else dtype)
