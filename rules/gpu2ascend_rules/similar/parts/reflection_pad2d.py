"""``torch.nn.ReflectionPad2d`` by indices."""

import torch

from .padding import pad


class ReflectionPad2d(torch.nn.ReflectionPad2d):
    """The same as ``torch.nn.ReflectionPad2d``: the border is mirrored, not filled with zeros."""

    def forward(self, input):
        return pad(input, self.padding, "reflect")
