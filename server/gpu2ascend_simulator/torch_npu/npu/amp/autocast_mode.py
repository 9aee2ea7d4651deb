"""Autocasting. The tables of names do not list what is in this module."""

from torch_npu._implementation.mixed_precision import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
