"""Tensors in formatted text."""

from mindspore import Tensor


def number(value):
    """A tensor of one value as a number, which has formats; anything else as it is."""
    return value.item() if isinstance(value, Tensor) and value.ndim == 0 else value


def numbers(values):
    """The values of a dictionary, likewise."""
    return {name: number(one) for name, one in dict(values).items()}
