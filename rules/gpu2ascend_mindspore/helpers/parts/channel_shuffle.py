"""torch.nn.functional.channel_shuffle"""


def channel_shuffle(input, groups):
    """The channels, the first of each group first; MindSpore's own has no gradient."""
    batch, channels = input.shape[:2]
    return input.reshape((batch, groups, channels // groups, -1)).swapaxes(1, 2).reshape(input.shape)
