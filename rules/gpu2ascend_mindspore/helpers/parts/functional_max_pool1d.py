"""torch.nn.functional.max_pool1d"""

from mindspore import ops


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """The largest of windows, one beside the other where no stride is given."""
    if return_indices:
        raise TypeError("without counterpart: return_indices")

    def wide(size, beside):
        return beside, *(size if isinstance(size, (tuple, list)) else (size,))

    found = ops.max_pool2d(
        input.reshape(-1, 1, 1, input.shape[-1]),
        wide(kernel_size, 1),
        stride=wide(stride or kernel_size, 1),
        padding=wide(padding, 0),
        dilation=wide(dilation, 1),
        ceil_mode=ceil_mode,
    )
    return found.reshape(*input.shape[:-1], found.shape[-1])
