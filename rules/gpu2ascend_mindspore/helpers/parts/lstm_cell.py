"""torch.nn.LSTMCell"""

import mindspore as ms
from mindspore import nn, ops


class LSTMCell(nn.LSTMCell):
    """A step of an LSTM, which begins with zeros if it is given no state."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, has_bias=bias, dtype=dtype or ms.float32)

    def construct(self, input, hx=None):
        if input.ndim == 1:
            state = None if hx is None else tuple(one.expand_dims(0) for one in hx)
            return tuple(one.squeeze(0) for one in self.construct(input.expand_dims(0), state))
        if hx is None:
            zeros = ops.zeros((input.shape[0], self.hidden_size), input.dtype)
            hx = (zeros, zeros)
        return super().construct(input, hx)
