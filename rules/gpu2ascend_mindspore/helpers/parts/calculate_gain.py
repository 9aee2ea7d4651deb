"""torch.nn.init.calculate_gain"""

import math

_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """By how much weights are larger before a function that makes values smaller."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if not nonlinearity.startswith(("linear", "conv")) and nonlinearity not in {*_GAINS, "sigmoid"}:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS.get(nonlinearity, 1)
