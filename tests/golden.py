"""Whole outcomes that were read and found right, kept in files: golden samples.

A test asserts ``golden.agrees(path, text)``. Where they differ the test fails and shows the difference;
``make goldens`` writes what is new, prints each difference, and fails, so that it is read before it is
committed. The texts of messages are not in them: a message is its id with its arguments, in any language.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpu2ascend_rules.model.finding import Finding, Message, OptionName
from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex

UPDATED = "GPU2ASCEND_UPDATE_GOLDENS"
"""The variable with which what differs is written down."""
_LONG = 60
_WIDTH = 110


def agrees(path: Path, text: str) -> None:
    """Fail where a text is not that of a golden file.
    Raises AssertionError: it differs, or there is no such file."""
    golden = path.read_text(encoding="utf-8") if path.is_file() else ""
    if golden == text and path.is_file():
        return
    difference = "\n".join(
        difflib.unified_diff(golden.splitlines(), text.splitlines(), path.name, "now", lineterm="")
    )
    if os.environ.get(UPDATED):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        raise AssertionError(f"{path.name} is written; read what has changed:\n{difference}")
    raise AssertionError(f"not as in {path.name} (`make goldens` after reading this):\n{difference}")


def with_arguments(message: Message) -> str:
    """A message as its id and its arguments."""
    arguments = (f"{name}={_argument(value)}" for name, value in message.arguments)
    return " ".join([message.id, *arguments])


def _argument(value: str | Message | OptionName) -> str:
    if isinstance(value, Message):
        return f"({with_arguments(value)})"
    return value.flag if isinstance(value, OptionName) else repr(value)


def described(findings: Iterable[Finding], lines: LineIndex, data: bytes) -> Iterator[str]:
    """All that a finding has in a line, but for what its fix makes: that is in the text after it."""
    for finding in findings:
        grave = f"{finding.severity.value}, {finding.applicability.value}"
        place = _place(finding.start, finding.end, lines, data)
        facts = {
            "api": None if finding.api == dict(finding.message.arguments).get("api") else str(finding.api),
            "kind": finding.kind or None,
            "code": _other_code(finding),
            "fix": " ".join(_fix_facts(finding)) if finding.fix is not None else None,
        }
        said = (f"  {name}: {value}" for name, value in facts.items() if value is not None)
        yield f"{place}  {with_arguments(finding.message)}  ({grave}){''.join(said)}"
        for related in finding.related:
            there = _place(related.start, related.end, lines, data)
            yield f"    see {there}  {with_arguments(related.message)}"


def _other_code(finding: Finding) -> str | None:
    return None if finding.message.id.startswith(f"{finding.code}.") else finding.code


def _fix_facts(finding: Finding) -> Iterator[str]:
    assert finding.fix is not None
    fix = finding.fix
    yield with_arguments(fix.title)
    if fix.kind:
        yield f"[{fix.kind}]"
    if fix.since is not None:
        yield f"[since {fix.since}]"
    yield from (f"[needs {item}]" for item in sorted(item.statement for item in fix.plan.requires))
    yield from (f"[brings {item}]" for item in sorted(fix.plan.equivalents))


def _place(start: int, end: int, lines: LineIndex, data: bytes) -> str:
    """Line and column, from 1, and the text there."""
    line, column = lines.position(start, ColumnUnit.CODE_POINT)
    text = data[start:end].decode("utf-8", "replace")
    shown = text if len(text) <= _LONG else f"{text[: _LONG // 2]}...{text[-_LONG // 2 :]}"
    return f"{line + 1}:{column + 1} {shown!r}"


def difference(before: str, after: str, name: str) -> Iterator[str]:
    """The lines of a text that become others, as a diff without context."""
    made = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="", n=0)
    yield from (line for line in made if not line.startswith(("---", "+++")))


def unusual(lines: Iterable[str], usual: Iterable[str]) -> Iterator[str]:
    """The lines that are not among the usual ones, then the usual ones that are missing."""
    missing = list(usual)
    everything = len(missing)
    for line in lines:
        if line in missing:
            missing.remove(line)
        else:
            yield line
    if missing and len(missing) == everything:
        yield "nothing of the usual"
    else:
        yield from (f"without {line}" for line in missing)


def as_json(value: object, indent: int = 0) -> str:
    """Plain data as JSON in which what fits on a line is on one."""
    whole = json.dumps(value, ensure_ascii=False)
    if indent + len(whole) <= _WIDTH or not isinstance(value, dict | list):
        return whole
    inner = " " * (indent + 1)
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    names = (("" if name is None else f"{json.dumps(name)}: ", item) for name, item in pairs)
    items = ",\n".join(f"{inner}{name}{as_json(item, indent + 1)}" for name, item in names)
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n{items}\n{' ' * indent}{last}"
