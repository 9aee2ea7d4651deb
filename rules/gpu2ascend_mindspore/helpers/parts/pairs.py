"""Numbers that are given once for both dimensions."""


def _for_each(value, count=2):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
