"""Three-way merge of notebooks: cell by cell, so that the result is a notebook whatever the sides changed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from .lines import blocks, merged
from .texts import Merged, Span, merge_text, split

_ALIKE = 0.5
"""From which share of equal lines on two cells are one that was changed."""
_INDENT = re.compile(rb"\n( +)\"")
Cell = dict[str, Any]


class _Side(NamedTuple):
    """The cells of one side, by the names that cells have in all of them."""

    names: list[bytes]
    cells: dict[bytes, Cell]


def merge_notebooks(base: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    """Merge by cells; None where one of the texts is no notebook."""
    read = [_notebook(text) for text in (base, ours, theirs)]
    one, two, three = read
    if one is None or two is None or three is None:
        return None
    old = _Side([str(at).encode() for at in range(len(one["cells"]))], {})
    old.cells.update(zip(old.names, one["cells"], strict=True))
    sides = (_named(old, two["cells"], b"yours"), _named(old, three["cells"], b"new"))
    cells: list[Cell] = []
    conflicts: list[Span] = []
    for name in _order(old, *sides):
        cell, spans = _cell(old.cells.get(name), *(side.cells.get(name) for side in sides))
        cells.append(cell)
        conflicts += [span._replace(cell=len(cells)) for span in spans]
    result = {**_value(_rest(one), _rest(two), _rest(three)), "cells": cells}
    ordered = {key: result[key] for key in (*two, *result) if key in result}
    return Merged(_written(ordered, ours), tuple(conflicts))


def sources(text: bytes) -> list[bytes]:
    """The sources of the cells of a notebook; the text itself where it is no notebook."""
    notebook = _notebook(text)
    return [text] if notebook is None else list(map(_source, notebook["cells"]))


def _notebook(text: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return None
    return content if all(_has_source(cell) for cell in cells) else None


def _has_source(cell: Cell) -> bool:
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return all(isinstance(line, str) for line in lines)


def _rest(notebook: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in notebook.items() if key != "cells"}


def _source(cell: Cell) -> bytes:
    source = cell.get("source", "")
    return "".join(source).encode("utf-8", "surrogatepass")


def _key(cell: Cell) -> bytes:
    return str(cell.get("cell_type")).encode("utf-8", "surrogatepass") + b"\0" + _source(cell)


def _named(old: _Side, cells: Sequence[Cell], prefix: bytes) -> _Side:
    """The cells of a side by the name of the one in the base; a new one that both sides have has one name."""
    keys = [_key(cell) for cell in cells]
    old_keys = [_key(old.cells[name]) for name in old.names]
    names: list[bytes | None] = [None] * len(cells)
    ids = {old.cells[name].get("id"): name for name in old.names if old.cells[name].get("id")}
    if len(ids) == len(old.names):
        for at, cell in enumerate(cells):
            names[at] = ids.pop(cell.get("id"), None)
    else:
        low = new_low = 0
        for start, new_start, size in [*blocks(old_keys, keys), (len(old_keys), len(keys), 0)]:
            _pair(old, range(low, start), cells, range(new_low, new_start), names)
            low, new_low = start + size, new_start + size
            names[new_start:new_low] = old.names[start:low]
    made = [name or b"+" + keys[at] for at, name in enumerate(names)]
    seen: dict[bytes, int] = {}
    for at, name in enumerate(made):
        seen[name] = seen.get(name, 0) + 1
        made[at] = name if seen[name] == 1 else name + b"\0%s%d" % (prefix, seen[name])
    return _Side(made, dict(zip(made, cells, strict=True)))


def _pair(old: _Side, olds: range, cells: Sequence[Cell], news: range, names: list[bytes | None]) -> None:
    """Find, in a part without equal cells, those that were changed."""
    start = news.start
    for at in olds:
        lines = split(_source(old.cells[old.names[at]]))
        for new_at in range(start, news.stop):
            same = old.cells[old.names[at]].get("cell_type") == cells[new_at].get("cell_type")
            matcher = SequenceMatcher(None, lines, split(_source(cells[new_at])), autojunk=False)
            if same and (matcher.ratio() >= _ALIKE or len(olds) == len(news) == 1):
                names[new_at] = old.names[at]
                start = new_at + 1
                break


def _order(old: _Side, ours: _Side, theirs: _Side) -> list[bytes]:
    """The names of the cells of the result. A cell that we changed stays, whoever removed it."""
    names: list[bytes] = []
    for piece in merged(old.names, ours.names, theirs.names):
        names += [name for name in (*piece.ours, *(piece.theirs or ())) if name not in names]
    for at, name in enumerate(ours.names):
        is_changed = name in old.cells and _key(old.cells[name]) != _key(ours.cells[name])
        if is_changed and name not in names:
            before = [names.index(other) for other in ours.names[:at] if other in names]
            names.insert(before[-1] + 1 if before else 0, name)
    return names


def _cell(base: Cell | None, ours: Cell | None, theirs: Cell | None) -> tuple[Cell, tuple[Span, ...]]:
    """One cell of the result, and the lines that are in conflict."""
    if ours is None or theirs is None:
        cell = ours or theirs or {}
        is_removed = base is not None and theirs is None
        return cell, (Span(1, max(len(split(_source(cell))), 1)),) if is_removed else ()
    old = base or {}
    source = merge_text(_source(old), _source(ours), _source(theirs))
    cell = _value({**old, "source": None}, {**ours, "source": None}, {**theirs, "source": None})
    if "source" in ours:
        cell["source"] = _as_before(source.data.decode("utf-8", "surrogatepass"), ours["source"])
    return {
        key: cell[key] for key in (*ours, *cell) if key in cell and cell[key] is not _GONE
    }, source.conflicts


_GONE = object()


def _value(base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """What is beside the sources: by key, and ours where both sides have changed it."""
    result: dict[str, Any] = {}
    for key in dict.fromkeys((*ours, *theirs)):
        old, mine, new = (side.get(key, _GONE) for side in (base, ours, theirs))
        if isinstance(mine, dict) and isinstance(new, dict):
            value: Any = _value(old if isinstance(old, dict) else {}, mine, new)
        else:
            value = new if mine == old else mine
        if value is not _GONE:
            result[key] = value
    return result


def _as_before(text: str, source: object) -> str | list[str]:
    return text.splitlines(keepends=True) if isinstance(source, list) else text


def _written(notebook: dict[str, Any], like: bytes) -> bytes:
    """A notebook in the form of another one: its indentation and its last line end."""
    found = _INDENT.search(like)
    indent = len(found[1]) if found is not None else None
    is_ascii = like.isascii() and b"\\u" in like
    separators = (",", ": ") if indent is not None else None
    text = json.dumps(notebook, ensure_ascii=is_ascii, indent=indent, separators=separators)
    end = b"\n" if like.endswith(b"\n") else b""
    return text.encode("utf-8", "backslashreplace") + end
