"""The support pages of torch_npu's documentation (Markdown, Chinese): what they say of each API.

Three layouts are met. Newer pages give every API a heading and, below it, a list or a table of hardware
families; older ones are one table with a yes or no per API. The words looked for are those of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_HEADING = re.compile(r"#{3,}\s+(?P<mark>class\s+)?(?P<name>torch[\w.]*)")
_MEMBER = re.compile(r">\s*(?:(?P<mark>class|property|attribute)\s+)?(?P<name>\w+)(?P<call>\(\))?\s*$")
_FIELD = re.compile(r"\*\*(?P<name>[^*]+)\*\*\s*[：:](?P<text>.*)")
_LISTED_MARK = re.compile(r"-\s*<term>(?P<hardware>.*?)</term>\s*[：:]\s*(?P<answer>不?支持)\s*$")
_TABLED_MARK = re.compile(r"\|\s*<term>(?P<hardware>.*?)</term>\s*\|\s*(?P<answer>[✔✘])\s*\|")
_TAG = re.compile(r"<[^>]*>|[`\\]")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_COMMENT = re.compile(r"<!--.*?-->")

_SUPPORT, _NOTES, _NPU_NAME = "支持情况", "限制与说明", "NPU形式名称"
_API, _IS_SUPPORTED = "API名称", "是否支持"
_YES, _NO = ("支持", "✔", "是"), ("不支持", "✘", "否")


class ApiEntry(NamedTuple):
    """What a page says of one API."""

    api: str
    kind: str
    """``class``, ``method``, ``attribute``, or nothing where the page does not say."""
    npu_name: str
    marks: dict[str, str]
    """``yes`` or ``no`` by hardware family (``a2``, ``a3``, ``dt950``, ``train``, ``infer``, or ``all``)."""
    notes: tuple[str, ...]


def entries(page: str) -> Iterator[ApiEntry]:
    """Every API that a page answers for. Headings without an answer are none."""
    yield from _headed(page)
    yield from _tabled(page)


def hardware_of(term: str) -> str | None:
    """The hardware family that a product name means, as the tables call it."""
    name = term.replace(" ", "")
    for word, family in (("950", "dt950"), ("A3", "a3"), ("A2", "a2"), ("推理", "infer"), ("训练", "train")):
        if word in name:
            return family
    return None


class _OpenEntry(NamedTuple):
    """An entry that is still being read."""

    api: str
    kind: str
    fields: dict[str, str]
    marks: dict[str, str]
    notes: list[str]

    def closed(self) -> Iterator[ApiEntry]:
        if self.marks:
            yield ApiEntry(self.api, self.kind, self.fields.get(_NPU_NAME, ""), self.marks, tuple(self.notes))


def _headed(page: str) -> Iterator[ApiEntry]:
    current: _OpenEntry | None = None
    owner, field, is_code = "", "", False
    for raw in page.splitlines():
        line = _COMMENT.sub("", raw).strip()
        if line.startswith("```"):
            is_code = not is_code
        if is_code or not line or line == "```":
            continue
        opened = _opened(line, owner)
        if opened is not None or line.startswith("#"):
            yield from current.closed() if current is not None else ()
            current, field = opened, ""
            if line.startswith("#"):
                owner = opened.api if opened is not None else ""
        elif current is not None:
            field = _read(line, field, current)
    yield from current.closed() if current is not None else ()


def _opened(line: str, owner: str) -> _OpenEntry | None:
    text = _TAG.sub("", line).strip()
    heading = _HEADING.match(text)
    if heading is not None:
        return _OpenEntry(heading["name"].rstrip("."), "class" if heading["mark"] else "", {}, {}, [])
    member = _MEMBER.match(text)
    if member is not None and owner and "<font" in line:
        return _OpenEntry(
            f"{owner}.{member['name']}", "method" if member["call"] else "attribute", {}, {}, []
        )
    return None


def _read(line: str, field: str, current: _OpenEntry) -> str:
    """Take in a line of an entry; the field that goes on after it."""
    found = _FIELD.match(line)
    if found is not None:
        field = found["name"].replace(" ", "").removeprefix("产品")
        line = found["text"].strip()
        current.fields[field] = _TAG.sub("", line)
    if field == _SUPPORT:
        mark = _LISTED_MARK.match(line) or _TABLED_MARK.match(line)
        family = hardware_of(mark["hardware"]) if mark is not None else None
        if mark is not None and family is not None:
            current.marks[family] = "yes" if mark["answer"] in _YES else "no"
    elif field == _NOTES and line and not line.startswith("</div"):
        current.notes.append(re.sub(r"^(?:[-*]|\d+\.)\s+", "", line))
    return field if not line.startswith("</div") else ""


def _tabled(page: str) -> Iterator[ApiEntry]:
    columns: list[str] = []
    for line in page.splitlines():
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if _API in cells:
            columns = [cell.replace(" ", "") for cell in cells]
        elif len(cells) >= len(columns) > 1 and not set(cells[0]) <= set("-: "):
            row = dict(zip(columns, cells, strict=False))
            yield from _tabled_entry(row)


def _tabled_entry(row: dict[str, str]) -> Iterator[ApiEntry]:
    api = _TAG.sub("", _LINK.sub(r"\1", _lines(row[_API])[0])).strip()
    marks = dict(_flat_marks(row.get(_IS_SUPPORTED, "")))
    notes = [note for note in _lines(row.get(_NOTES, "")) if note != "-"]
    if marks and api.startswith("torch"):
        yield ApiEntry(api, "", row.get(_NPU_NAME, "").replace("-", ""), marks, tuple(notes))


def _flat_marks(cell: str) -> Iterable[tuple[str, str]]:
    """``是``, ``否``, either of some products (``<term>A</term>/<term>B</term>：是``), or but for some."""
    for line in _lines(cell):
        families = [
            family for term in re.findall(r"<term>(.*?)</term>", line) if (family := hardware_of(term))
        ]
        answer = re.split(r"[：:]", _TAG.sub("", line))[-1].strip()
        for family in families or ["all"]:
            if answer in _YES:
                yield family, "yes"
            elif answer in _NO or "不支持" in line:
                yield family, "no"


def _lines(cell: str) -> list[str]:
    return [line.strip() for line in re.split(r"<br\s*/?>", cell) if line.strip()] or [""]
