"""Names and support per PyTorch version and Ascend hardware: data, and how to look it up.

The tables beside this file are generated (docs/support-tables.md). They are sorted text, so that loading
one is reading a file, and looking up a name is a binary search.
"""

from typing import TYPE_CHECKING

from .facts import Facts
from .statuses import SupportStatus

if TYPE_CHECKING:
    from .names.npu_names import Counterpart
    from .packed.rows import SupportRow

__all__ = ["Counterpart", "Facts", "SupportRow", "SupportStatus"]


def __getattr__(name: str) -> object:
    """The classes of answers only when asked for: a question starts without those of other questions."""
    if name == "SupportRow":
        from .packed.rows import SupportRow

        return SupportRow
    if name == "Counterpart":
        from .names.npu_names import Counterpart

        return Counterpart
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
