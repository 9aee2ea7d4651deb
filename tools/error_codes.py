"""The codes of CANN: those of its runtime with their first sentences, and the documented ones with titles.

    python -m tools.error_codes NPUErrorCodes.h \\
        error_code.json error_registry.cc Driver-Errors.md ge_error_codes.h

The header is ``torch_npu/csrc/core/npu/NPUErrorCodes.h`` of Ascend/pytorch; a log may show its sentence
(``[Error]: The vector core execution is abnormal.``) without the code. The lists are
``src/dfx/error_manager/error_code.json`` of cann/runtime, ``base/common/error_registry/error_registry.cc``
of cann/ge and ``docs/zh/troubleshooting/error-codes/Driver-Errors/Driver-Errors.md`` of cann/docs,
and ``inc/external/ge/ge_error_codes.h`` of cann/ge; a title (``File_Operation_Error_Open``) names the class
of an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

TABLES = Path(__file__).parents[1] / "server" / "gpu2ascend" / "doctor" / "tables"
_ENTRY = re.compile(r'\{(?P<code>\d{6}),\s*"(?P<text>(?:\\.|[^"\\])*)"', re.DOTALL)
_TITLE = re.compile(r'"errTitle":\s*"(?P<title>[^"]*)",\s*"ErrCode":\s*"(?P<code>\w+)"')
_NUMBERED = re.compile(r"\b(?P<title>ACL_ERROR_GE_\w+) = (?P<code>\d{6})")
_LISTED = re.compile(r"\[(?P<code>E[A-Z]\d{4}) (?P<title>[^\]]+)\]")
_HEAD = "# Made by tools/error_codes.py from {}.\n"
_HEADER = "torch_npu/csrc/core/npu/NPUErrorCodes.h of Ascend/pytorch"
_LISTS = (
    "error_code.json of cann/runtime, error_registry.cc and ge_error_codes.h of cann/ge, lists of cann/docs"
)


def codes(header: str) -> dict[str, str]:
    """The first sentence of each code."""
    texts = {match["code"]: match["text"].replace("\\\n", "") for match in _ENTRY.finditer(header)}
    return {code: text.partition("\\n")[0].strip() for code, text in texts.items()}


def titles(lists: Iterable[str]) -> dict[str, str]:
    """The title of each documented code."""
    patterns = (_TITLE, _LISTED, _NUMBERED)
    matches = (match for text in lists for pattern in patterns for match in pattern.finditer(text))
    return dict(sorted((match["code"], match["title"].replace("\\", "")) for match in matches))


def _write(name: str, source: str, column: str, found: dict[str, str]) -> None:
    rows = "".join(f"{code}\t{text}\n" for code, text in found.items())
    text = f"{_HEAD.format(source)}code\t{column}\n{rows}"
    (TABLES / f"{name}.tsv").write_text(text, "utf-8", newline="\n")


def main(header: Path, *lists: Path) -> None:
    """Write the tables."""
    _write("error_codes", _HEADER, "text", codes(header.read_text("utf-8")))
    _write("documented_codes", _LISTS, "title", titles(path.read_text("utf-8") for path in lists))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
