"""Names and support per PyTorch version and Ascend hardware: data, and how to look it up.

The tables beside this file are generated (docs/support-tables.md). They are sorted text, so that loading
one is reading a file, and looking up a name is a binary search.
"""

from .facts import Facts, support_matrix
from .npu_names import Counterpart
from .rows import SupportRow
from .statuses import Evidence, SupportStatus

__all__ = ["Counterpart", "Evidence", "Facts", "SupportRow", "SupportStatus", "support_matrix"]
