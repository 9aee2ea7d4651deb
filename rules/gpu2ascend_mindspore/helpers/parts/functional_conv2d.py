"""torch.nn.functional.conv2d"""

from mindspore import ops


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """A convolution, with as much padding as is given, or as a name says."""
    named = isinstance(padding, str)
    sides = {"pad_mode": padding} if named else {"pad_mode": "pad", "padding": padding}
    return ops.conv2d(input, weight, bias=bias, stride=stride, dilation=dilation, groups=groups, **sides)
