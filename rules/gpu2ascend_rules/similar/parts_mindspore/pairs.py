"""Numbers that are given once for both dimensions."""


def _pair(value, count=2):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
