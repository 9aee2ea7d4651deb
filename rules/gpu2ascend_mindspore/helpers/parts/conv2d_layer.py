"""torch.nn.Conv2d"""

from mindspore import nn

from .pairs import _for_each


class Conv2d(nn.Conv2d):
    """A convolution that takes what torch's own takes."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros",
    ):  # fmt: skip
        if padding_mode != "zeros":
            raise TypeError(f"without counterpart: padding_mode={padding_mode!r}")
        pad_mode = padding if isinstance(padding, str) else "pad"
        high, wide = _for_each(0 if isinstance(padding, str) else padding, 2)
        sides = high, high, wide, wide
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, sides, dilation, groups, has_bias=bias
        )
