"""Streams and events. The tables of names do not list what is in this module."""

from torch_npu._implementation.streams import module as _module

Event, Stream = _module.Event, _module.Stream

__all__ = ["Event", "Stream"]
