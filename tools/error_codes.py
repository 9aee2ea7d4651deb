"""The codes of CANN: those of its runtime with their first sentences, documented ones with titles, and names.

    python -m tools.error_codes NPUErrorCodes.h \\
        error_code.json error_registry.cc Driver-Errors.md ge_error_codes.h
    python -m tools.error_codes --names acl_base_rt.h rt_error_codes.h hccl_types.h aclnn.md

The header is ``torch_npu/csrc/core/npu/NPUErrorCodes.h`` of Ascend/pytorch; a log may show its sentence
(``[Error]: The vector core execution is abnormal.``) without the code. The lists are
``src/dfx/error_manager/error_code.json`` of cann/runtime, ``base/common/error_registry/error_registry.cc``
of cann/ge and ``docs/zh/troubleshooting/error-codes/Driver-Errors/Driver-Errors.md`` of cann/docs,
and ``inc/external/ge/ge_error_codes.h`` of cann/ge; a title (``File_Operation_Error_Open``) names the class
of an error. The names of constants, which programs print in place of numbers, are those of
``include/external/acl`` of cann/runtime, ``hccl_types.h`` of cann/hcomm, and the return codes of aclnn in
``docs/zh/context`` of cann/ops-math.
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
_NAMED = re.compile(r"\b(?P<name>(?:ACL_ERROR|ACLNN_ERR|HCCL_E)_\w+)[ =|]+(?P<code>[1-9]\d*)\b")
_HEAD = "# Made by tools/error_codes.py from {}.\n"
_HEADER = "torch_npu/csrc/core/npu/NPUErrorCodes.h of Ascend/pytorch"
_LISTS = (
    "error_code.json of cann/runtime, error_registry.cc and ge_error_codes.h of cann/ge, lists of cann/docs"
)
_NAMES = "acl_base_rt.h and rt_error_codes.h of cann/runtime, hccl_types.h of cann/hcomm, documents of aclnn"


def codes(header: str) -> dict[str, str]:
    """The first sentence of each code."""
    texts = {match["code"]: match["text"].replace("\\\n", "") for match in _ENTRY.finditer(header)}
    return {code: text.partition("\\n")[0].strip() for code, text in texts.items()}


def titles(lists: Iterable[str]) -> dict[str, str]:
    """The title of each documented code."""
    patterns = (_TITLE, _LISTED, _NUMBERED)
    matches = (match for text in lists for pattern in patterns for match in pattern.finditer(text))
    return dict(sorted((match["code"], match["title"].replace("\\", "")) for match in matches))


def names(lists: Iterable[str]) -> dict[str, str]:
    """The number of each name of a constant."""
    return dict(sorted((match["name"], match["code"]) for text in lists for match in _NAMED.finditer(text)))


def _write(name: str, source: str, columns: str, found: dict[str, str]) -> None:
    rows = "".join(f"{code}\t{text}\n" for code, text in found.items())
    text = f"{_HEAD.format(source)}{columns}\n{rows}"
    (TABLES / f"{name}.tsv").write_text(text, "utf-8", newline="\n")


def main(header: Path, *lists: Path) -> None:
    """Write the tables."""
    if str(header) == "--names":
        _write("code_names", _NAMES, "name\tcode", names(path.read_text("utf-8") for path in lists))
        return
    _write("error_codes", _HEADER, "code\ttext", codes(header.read_text("utf-8")))
    _write("documented_codes", _LISTS, "code\ttitle", titles(path.read_text("utf-8") for path in lists))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
