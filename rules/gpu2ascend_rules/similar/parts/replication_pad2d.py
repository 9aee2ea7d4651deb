"""``torch.nn.ReplicationPad2d`` by indices."""

import torch

from .padding import pad


class ReplicationPad2d(torch.nn.ReplicationPad2d):
    """The same as ``torch.nn.ReplicationPad2d``: the border is repeated, not filled with zeros."""

    def forward(self, input):
        return pad(input, self.padding, "replicate")
