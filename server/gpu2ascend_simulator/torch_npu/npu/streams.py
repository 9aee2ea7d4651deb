"""Streams and events. The tables of names do not list what is in this module."""

from torch_npu._implementation.stream_api import Event, Stream

__all__ = ["Event", "Stream"]
