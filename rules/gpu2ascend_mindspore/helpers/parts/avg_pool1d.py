"""torch.nn.functional.avg_pool1d"""

from mindspore import ops


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The means of windows, one beside the other where no stride is given."""
    more = {}
    return ops.avg_pool1d(
        input,
        kernel_size,
        stride=kernel_size if stride is None else stride,
        padding=padding,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        **more,
    )
