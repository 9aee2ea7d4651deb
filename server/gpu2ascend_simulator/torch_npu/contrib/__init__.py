"""Contributed modules. ``transfer_to_npu`` is loaded when it is asked for, for loading it changes torch."""

from importlib import import_module as _import_module

from .._surface import publish


def _transfer_to_npu() -> object:
    return _import_module(f"{__name__}.transfer_to_npu")


publish(__name__, variables={"transfer_to_npu": _transfer_to_npu})
