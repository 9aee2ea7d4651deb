import functools


def on_cuda(fallback):
    """Use a function for tensors on CUDA, and its fallback for others."""

    def outer(function):
        @functools.wraps(function)
        def inner(x, *args):
            if x.is_cuda:
                return function(x, *args)
            return fallback(x, *args)

        return inner

    return outer


class Dispatch:
    """Two implementations of one operator."""

    def __init__(self, fast, plain):
        self.fast, self.plain = fast, plain
        self.fast_path = fast

    def __call__(self, x, *args):
        if self.fast_path is not None and x.device.type == "cuda":
            return self.fast_path(x, *args)
        return self.plain(x, *args)
