"""Communication back ends: their names, and the names of what holds one or sets one up."""

from __future__ import annotations

from .words import words_of

BACKENDS = frozenset({"gloo", "mpi", "ucc", "ccl", "xccl", "hccl", "nccl", "tcp", "smddp"})
"""The back ends of torch.distributed and of its plugins."""
_BACKEND_WORDS = frozenset({"backend", "backends", "distbackend", "ddpbackend"})
_SETUP_WORDS = frozenset({"distributed", "dist", "ddp", "fsdp", "group", "collective", "comm"})


def is_backend_name(name: str) -> bool:
    """Whether a name of a variable, parameter, key or function speaks of a back end."""
    return not _BACKEND_WORDS.isdisjoint(words_of(name))


def is_setup_name(name: str) -> bool:
    """Whether a function of that name takes a back end to set process groups up."""
    return is_backend_name(name) or not _SETUP_WORDS.isdisjoint(words_of(name))
