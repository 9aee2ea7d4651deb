"""The cells of LSTM and GRU. Torch asks accelerators for fused ones; these are made of plain operators,
so autograd differentiates them."""

from __future__ import annotations

from typing import Any


def _with_bias(gates: Any, bias: Any) -> Any:
    return gates if bias is None else gates + bias


def lstm_cell(
    input_gates: Any, hidden_gates: Any, cell: Any, input_bias: Any = None, hidden_bias: Any = None
) -> Any:
    """``aten::_thnn_fused_lstm_cell``: the hidden state, the cell, the gates."""
    gates = _with_bias(input_gates, input_bias) + _with_bias(hidden_gates, hidden_bias)
    enter, forget, new, leave = gates.chunk(4, 1)
    next_cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * next_cell.tanh(), next_cell, gates


def gru_cell(
    input_gates: Any, hidden_gates: Any, hidden: Any, input_bias: Any = None, hidden_bias: Any = None
) -> Any:
    """``aten::_thnn_fused_gru_cell``: the hidden state, and one of the gates."""
    of_input = _with_bias(input_gates, input_bias).chunk(3, 1)
    of_hidden = _with_bias(hidden_gates, hidden_bias).chunk(3, 1)
    reset = (of_input[0] + of_hidden[0]).sigmoid()
    update = (of_input[1] + of_hidden[1]).sigmoid()
    candidate = (of_input[2] + reset * of_hidden[2]).tanh()
    return candidate + update * (hidden - candidate), update


KERNELS = {"_thnn_fused_lstm_cell": lstm_cell, "_thnn_fused_gru_cell": gru_cell}
