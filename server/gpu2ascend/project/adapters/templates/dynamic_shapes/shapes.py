# Written by gpu2ascend: finds operators whose shapes change while a training runs.
"""Ranges of shapes, and what a call had for shapes from iteration to iteration."""

try:
    import torch
except ImportError:  # the ranges alone need none
    torch = None


def shapes_in(value, found=None, depth=0):
    """The shapes of the tensors in a value and its containers, at most 64."""
    found = [] if found is None else found
    if len(found) >= 64 or depth > 6:
        return found
    if torch is not None and isinstance(value, torch.Tensor):
        found.append(tuple(int(size) for size in value.shape))
    elif isinstance(value, dict):
        for item in value.values():
            shapes_in(item, found, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            shapes_in(item, found, depth + 1)
    return found


class Range:
    """The shapes of one tensor: for each number of dimensions the smallest and the largest sizes."""

    def __init__(self):
        self.by_rank = {}

    def add(self, shape):
        low, high = self.by_rank.get(len(shape), (shape, shape))
        low = tuple(map(min, low, shape))
        self.by_rank[len(shape)] = (low, tuple(map(max, high, shape)))

    @property
    def is_dynamic(self):
        return len(self.by_rank) > 1 or any(low != high for low, high in self.by_rank.values())

    def with_whole_batch(self, shape, batch, tail):
        """A shape of an iteration with ``tail`` samples as it would be with ``batch``.

        A size that was the same so far and is smaller in that ratio now is one of the batch.
        """
        low, high = self.by_rank.get(len(shape), (None, None))
        if low is None:
            return shape
        return tuple(a if a == c and a * tail == b * batch else b for a, b, c in zip(low, shape, high))

    def changing(self):
        """The dimensions whose sizes change, counted from the end: -1 is the last."""
        return sorted(
            at - rank
            for rank, (low, high) in self.by_rank.items()
            for at in range(rank)
            if low[at] != high[at]
        )

    def __str__(self):
        parts = ["(%s)-(%s)" % (_sizes(low), _sizes(high)) for _, (low, high) in sorted(self.by_rank.items())]
        return "[%s]" % " | ".join(parts)


def _sizes(shape):
    return ", ".join(map(str, shape))


class Record:
    """A call at a place of the project: what its tensors were like in all iterations."""

    def __init__(self, name, path, line, stack):
        self.name, self.path, self.line, self.stack = name, path, line, stack
        self.inputs, self.outputs = [], []
        self.operators = set()
        """Operators within the call whose results depend on values."""
        self.pending = None
        self.iterations = 0
        self.has_tail = False

    def note(self, inputs, outputs):
        self.pending = (inputs, outputs)

    def settle(self):
        """The iteration is over, and was not the last one: its shapes count."""
        if self.pending is not None:
            for ranges, shapes in zip((self.inputs, self.outputs), self.pending):
                for at, shape in enumerate(shapes):
                    if at == len(ranges):
                        ranges.append(Range())
                    ranges[at].add(shape)
            self.iterations += 1
            self.pending = None

    def settle_last(self, batch, tail):
        """Likewise of the last iteration, whose batch may be smaller than the others."""
        if self.pending is not None and self.iterations > 0 and batch and tail and tail < batch:
            given = self.pending
            self.pending = tuple(
                [
                    ranges[at].with_whole_batch(shape, batch, tail) if at < len(ranges) else shape
                    for at, shape in enumerate(shapes)
                ]
                for ranges, shapes in zip((self.inputs, self.outputs), given)
            )
            self.has_tail |= [list(shapes) for shapes in given] != list(self.pending)
        self.settle()

    @property
    def is_dynamic(self):
        return any(known.is_dynamic for known in (*self.inputs, *self.outputs))
