"""Files that show a GPU, and those that show an NPU: the driver's devices, and the folder of the toolkit.

The NPU's are those of the driver's and of CANN's installation guide.
"""

from __future__ import annotations

import re

_FILES = (
    (re.compile(r"/dev/nvidia\d*"), "/dev/davinci0"),
    (re.compile(r"/dev/nvidia[*?\[].*"), "/dev/davinci[0-9]*"),
    (re.compile(r"/dev/nvidia[-\w]+"), "/dev/davinci_manager"),
    (re.compile(r"/usr/local/cuda[-\d.*]*/?"), "/usr/local/Ascend"),
)


def npu_file(path: str) -> str | None:
    """What a machine with NPUs has in the place of a file, or of a pattern of files, that shows a GPU."""
    return next((instead for pattern, instead in _FILES if pattern.fullmatch(path)), None)
