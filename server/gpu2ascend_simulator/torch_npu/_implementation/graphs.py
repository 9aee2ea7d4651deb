"""Captured graphs: the simulated device captures none, so it never captures."""

__all__ = ["is_current_stream_capturing"]


def is_current_stream_capturing() -> bool:
    """Whether a graph is being captured."""
    return False
