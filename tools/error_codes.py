"""The codes of CANN's runtime with their first sentences, from a header of torch_npu.

    python -m tools.error_codes NPUErrorCodes.h

The header is ``torch_npu/csrc/core/npu/NPUErrorCodes.h`` of Ascend/pytorch. A log may show the sentence
(``[Error]: The vector core execution is abnormal.``) without the code.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TABLE = Path(__file__).parents[1] / "server" / "gpu2ascend" / "doctor" / "tables" / "error_codes.tsv"
_ENTRY = re.compile(r'\{(?P<code>\d{6}),\s*"(?P<text>(?:\\.|[^"\\])*)"', re.DOTALL)
_HEAD = "# Made by tools/error_codes.py from torch_npu/csrc/core/npu/NPUErrorCodes.h of Ascend/pytorch.\n"


def codes(header: str) -> dict[str, str]:
    """The first sentence of each code."""
    texts = {match["code"]: match["text"].replace("\\\n", "") for match in _ENTRY.finditer(header)}
    return {code: text.partition("\\n")[0].strip() for code, text in texts.items()}


def main(path: Path) -> None:
    """Write the table."""
    rows = "".join(f"{code}\t{text}\n" for code, text in codes(path.read_text("utf-8")).items())
    TABLE.write_text(f"{_HEAD}code\ttext\n{rows}", "utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
