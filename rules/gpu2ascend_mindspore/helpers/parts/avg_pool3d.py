"""torch.nn.functional.avg_pool3d"""

from mindspore import ops


def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """The means of windows, one beside the other where no stride is given."""
    more = {} if divisor_override is None else {"divisor_override": divisor_override}
    return ops.avg_pool3d(
        input,
        kernel_size,
        stride=kernel_size if stride is None else stride,
        padding=padding,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        **more,
    )
