"""Loss scaling. The tables of names do not list what is in this module."""

from torch_npu._implementation.mixed_precision import GradScaler

__all__ = ["GradScaler"]
