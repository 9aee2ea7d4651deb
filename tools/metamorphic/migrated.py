"""What the migration of a project makes of each of its words."""

from __future__ import annotations

import enum
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.edits.offsets import OffsetMap, apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Edit, Severity
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.source_file import SourceFile

from .marked import Files, Place, places

_IS_WIDE = re.compile(
    rb"['\"](?:\)[.\w]*|\[['\"]\w+['\"]\])*\s*[,|]\s*['\"](?:npu|hccl|HCCL)[^'\"]*['\"](?!\s*:)"
)
"""From the end of a word on: a second item behind what it is given to; an entry of a table is none."""


class Fate(enum.Enum):
    """What became of a word."""

    CHANGED = "changed"
    """It is the NPU's word now."""
    WIDENED = "widened"
    """The NPU's word stands beside it now."""
    KEPT = "kept"


class Migrated(NamedTuple):
    """A project after its migration."""

    fates: Mapping[int, frozenset[Fate]]
    """Of each word, at all places at which it stands."""
    told: Mapping[int, frozenset[Severity]]
    """The severities of the findings that are left on the lines of a word."""
    has_divided: bool
    """Whether an error says that a group of words is divided."""
    texts: Files


def migrated(files: Mapping[str, str], options: MigrationOptions) -> Migrated:
    """Write marked texts as a project, without their marks, and migrate it."""
    plain, words = places(files)
    outcomes = _outcomes(plain, options)
    fates = {
        number: frozenset(_fate(place, plain, outcomes[place.path]) for place in found)
        for number, found in words.items()
    }
    told = {
        number: frozenset(
            item.finding.severity
            for place in found
            for item in outcomes[place.path].remaining
            if item.start_line <= _line(place, plain) <= item.end_line
        )
        for number, found in words.items()
    }
    left = [item.finding.message.id for outcome in outcomes.values() for item in outcome.remaining]
    has_divided = any(message.endswith(".divided") for message in left)
    return Migrated(fates, told, has_divided, {path: outcome.text for path, outcome in outcomes.items()})


def _outcomes(plain: Mapping[str, str], options: MigrationOptions) -> dict[str, FixOutcome]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in plain.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        project = ProjectFiles(root)
        project.program.decided(options)
        return {path: apply_fixes(SourceFile(text, path), options, project) for path, text in plain.items()}


def _line(place: Place, plain: Mapping[str, str]) -> int:
    return plain[place.path].encode()[: place.start].count(b"\n") + 1


def _fate(place: Place, plain: Mapping[str, str], outcome: FixOutcome) -> Fate:
    data, start = plain[place.path].encode(), place.start
    word, was_wide = data[start : place.end], _IS_WIDE.match(data, place.end - 1) is not None
    for edits in outcome.edits:
        start = OffsetMap([_narrowed(edit, data) for edit in edits]).present(start)
        data = apply_edits(data, edits)
    if not data.startswith(word, start):
        return Fate.CHANGED
    is_wide = _IS_WIDE.match(data, start + len(word) - 1) is not None
    return Fate.WIDENED if is_wide and not was_wide else Fate.KEPT


def _narrowed(edit: Edit, data: bytes) -> Edit:
    """An edit without what it leaves at its ends: an entry may be written again with another one behind."""
    old, new = data[edit.start : edit.end].decode(), edit.text
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    start = edit.start + len(old[:first].encode())
    return Edit(start, start + len(old[first : len(old) - last].encode()), new[first : len(new) - last])


def _alike(left: str, right: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))
