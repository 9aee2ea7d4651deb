"""How one row of a support list is written into the packed table, and read back, without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

_SEPARATOR = "|"
_MARKS = {"": "-", "yes": "y", "no": "n"}
_KINDS = {"class": "c", "function": "f", "method": "m", "attribute": "a", "unknown": "u"}
_STATUSES = {"supported": "S", "restricted": "R", "fallback_cpu": "F", "unsupported": "U"}
_DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "uint8": "u8", "uint16": "u16",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "bool": "b", "complex64": "c64",
    "complex128": "c128",
}  # fmt: skip


def _reversed(codes: dict[str, str]) -> dict[str, str]:
    return {code: word for word, code in codes.items()}


_MARK_OF, _KIND_OF, _STATUS_OF = _reversed(_MARKS), _reversed(_KINDS), _reversed(_STATUSES)
_DTYPE_OF = _reversed(_DTYPES)


class ListedRow(NamedTuple):
    """What one version's list says of one API: the columns of ``support-<version>.tsv`` as they are."""

    kind: str
    npu_name: str
    a2: str
    a3: str
    dt950: str
    status: str
    dtypes: str
    flags: str
    source: str
    hw_notes: str
    tags: str
    conflict: str


def pack(row: ListedRow, sources: Sequence[str]) -> str:
    """The row as the packed table writes it; ``sources`` are those of the row's version.

    Raises:
        KeyError: the format does not know a word.
        ValueError: the source is not among ``sources``, or a text has a character that the format uses.
    """
    marks = "".join(_MARKS[mark] for mark in (row.a2, row.a3, row.dt950))
    codes = _KINDS[row.kind] + _STATUSES[row.status] + marks + str(sources.index(row.source))
    texts = (_recoded(row.dtypes, _DTYPES), row.flags, row.npu_name, row.hw_notes, row.tags, row.conflict)
    if any(character in text for text in texts for character in "|\t\n"):
        raise ValueError(f"a text of {row} has a separator in it")
    return _SEPARATOR.join((codes, *texts)).rstrip(_SEPARATOR)


def unpack(text: str, sources: Sequence[str]) -> ListedRow:
    """The row that :func:`pack` wrote."""
    codes, *texts = text.split(_SEPARATOR)
    dtypes, flags, npu_name, hw_notes, tags, conflict = texts + [""] * (6 - len(texts))
    a2, a3, dt950 = (_MARK_OF[mark] for mark in codes[2:5])
    return ListedRow(
        _KIND_OF[codes[0]], npu_name, a2, a3, dt950, _STATUS_OF[codes[1]], _recoded(dtypes, _DTYPE_OF),
        flags, sources[int(codes[5:])], hw_notes, tags, conflict,
    )  # fmt: skip


def _recoded(dtypes: str, codes: dict[str, str]) -> str:
    """``input:float16,float32;other:bool`` with each dtype's other name."""
    if not dtypes:
        return ""
    parameters = []
    for parameter in dtypes.split(";"):
        name, _, kinds = parameter.partition(":")
        parameters.append(f"{name}:{','.join(codes[kind] for kind in kinds.split(',') if kind)}")
    return ";".join(parameters)
