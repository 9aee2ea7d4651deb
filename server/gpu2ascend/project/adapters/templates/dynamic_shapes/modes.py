# Written by gpu2ascend: finds operators whose shapes change while a training runs.
"""The modes of torch by which every call is seen without rewriting it."""

import contextlib

DATA_DEPENDENT = frozenset(
    {
        "aten::nonzero",
        "aten::masked_select",
        "aten::_unique",
        "aten::_unique2",
        "aten::unique_dim",
        "aten::unique_consecutive",
        "aten::unique_dim_consecutive",
        "aten::repeat_interleave",
        "aten::bincount",
        "aten::_local_scalar_dense",
        "torchvision::nms",
    }
)
"""Operators whose results have sizes, or are numbers, that depend on values."""
_NOT_NOTED = frozenset(
    {
        "cpu", "cuda", "long", "float", "int", "half", "bfloat16", "double", "detach", "detach_", "to",
        "contiguous", "type", "requires_grad_", "clone", "numpy", "backward", "__get__", "__set__",
        "__repr__", "__format__", "size", "dim", "stride", "numel", "item", "tolist", "is_floating_point",
        "register_hook", "zero_", "copy_", "is_pinned", "pin_memory", "grad",
    }
)  # fmt: skip
"""Calls that change no shape."""

try:
    import torch
    from torch.overrides import TorchFunctionMode, resolve_name
    from torch.utils._python_dispatch import TorchDispatchMode
except ImportError:  # torch before 1.13: what is called by hook_func is seen
    torch = None


_NAMES = {}


def _name_of(func):
    """The name of a function of torch; "" for one that changes no shape."""
    name = _NAMES.get(func)
    if name is None:
        short = getattr(func, "__name__", "")
        name = resolve_name(func) or short or str(func)
        if short in _NOT_NOTED or name.rpartition(".")[2] in _NOT_NOTED or ".nn.init." in name:
            name = ""
        _NAMES[func] = name
    return name


if torch is not None:

    class _Functions(TorchFunctionMode):
        """Sees what users call by name: ``torch.nn.functional.interpolate``."""

        def __init__(self, detector):
            super().__init__()
            self._detector = detector

        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = self._detector.function_name(_name_of, func)
            if not name:
                return self._detector.pass_by(func, args, kwargs or {})
            return self._detector.call(name, func, args, kwargs or {})

    class _Operators(TorchDispatchMode):
        """Sees the operators within."""

        def __init__(self, detector):
            super().__init__()
            self._detector = detector

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            self._detector.operator(func, args, kwargs or {}, result)
            return result


@contextlib.contextmanager
def modes(detector):
    """Let a detector see what is called."""
    if torch is None:
        yield
        return
    with _Operators(detector), _Functions(detector):
        yield
