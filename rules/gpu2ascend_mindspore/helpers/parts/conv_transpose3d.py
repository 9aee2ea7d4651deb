"""torch.nn.functional.conv_transpose3d"""

from .conv_transposed import _conv_transposed


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _conv_transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)
