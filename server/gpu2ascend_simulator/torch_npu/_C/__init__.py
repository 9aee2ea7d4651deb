"""The C extension module of torch_npu, as far as ported code reaches into it."""

from . import _distributed_c10d as _distributed_c10d
