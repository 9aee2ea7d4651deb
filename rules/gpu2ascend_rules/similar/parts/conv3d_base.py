"""What both forms of ``Conv3d`` share: the widths of the padding."""

from .padding import pad


def _padding_of(convolution):
    """The padding as (before, after) of each of the three dimensions, first dimension first."""
    padding = convolution.padding
    if padding == "valid":
        return [(0, 0)] * 3
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(convolution.dilation, convolution.kernel_size)]
        return [(total // 2, total - total // 2) for total in totals]
    return [(width, width) for width in padding]


def _padded(convolution, input):
    """The input, padded as far as a convolution cannot do it, and the padding that is left to that."""
    pairs = _padding_of(convolution)
    if convolution.padding_mode == "zeros" and all(before == after for before, after in pairs):
        return input, [before for before, _ in pairs]
    mode = "constant" if convolution.padding_mode == "zeros" else convolution.padding_mode
    return pad(input, [width for pair in reversed(pairs) for width in pair], mode), [0, 0, 0]
