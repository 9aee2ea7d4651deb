"""One side of a comparison: reads tasks and writes what is found and what the fixes make, JSON line by line.

It runs in an interpreter that has the packages of its side first on the path, so it imports nothing of this
folder. Only the JSON is common to both sides: see :mod:`tools.compare.outcomes`, which reads it.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest
from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.model.finding import Finding, Message, OptionName
from gpu2ascend_rules.model.outcome import AppliedFix
from gpu2ascend_rules.options.options import MigrationOptions, options_from

Outcome = dict[str, Any]
_LONG = 160
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "node_modules", ".venv")


def main() -> None:
    """Answer each task of the standard input. A task that fails has the failure as its outcome."""
    for line in sys.stdin:
        task = json.loads(line)
        try:
            files, problem = _examined(task), ""
        except Exception as error:  # whatever a side fails with is what it makes of the task
            files, problem = {}, f"{type(error).__name__}: {error}"
        print(json.dumps({"files": files, "problem": problem}), flush=True)


def _examined(task: dict[str, Any]) -> dict[str, Outcome]:
    options = _options(task)
    if "folder" in task:
        return _of_folder(Path(task["folder"]), options)
    if task["migrates"]:
        return _migrated(task["path"], task["text"], options)
    checked = examine(task["path"], task["text"], Request(options=options))
    fixed = examine(task["path"], task["text"], Request(options=options, fix=True, codemods=True))
    return {task["path"]: _outcome(checked, fixed, task["text"])}


def _options(task: dict[str, Any]) -> MigrationOptions:
    custom = read_rules(task["rules"]) if task.get("rules") else ()
    return attrs.evolve(options_from(task["settings"]), custom=custom)


def _of_folder(folder: Path, options: MigrationOptions) -> dict[str, Outcome]:
    """A project as ``check`` and ``check --fix`` see it; the fixes are made in a copy."""
    with tempfile.TemporaryDirectory() as made:
        copy = Path(made) / folder.name
        shutil.copytree(folder, copy, symlinks=True, ignore=_LEFT_OUT)
        checked = _by_path(check_paths([copy], options, jobs=1), copy)
        fixed = _by_path(check_paths([copy], options, fix=True, jobs=1), copy)
    return {
        path: _outcome(done, fixed[path], done.text)
        for path, done in checked.items()
        if path in fixed and (done.findings or done.problem or fixed[path].applied)
    }


def _by_path(done: Iterable[Examination], root: Path) -> dict[str, Examination]:
    return {Path(item.path).relative_to(root).as_posix(): item for item in done}


def _migrated(path: str, text: str, options: MigrationOptions) -> dict[str, Outcome]:
    """A program of one file as a migration leaves it: the findings are those that remain."""
    files: list[FileOutcome] = []
    with tempfile.TemporaryDirectory() as made:
        folder, results = Path(made) / "project", Path(made) / "results"
        folder.mkdir()
        (folder / path).write_text(text, encoding="utf-8")
        request = MigrationRequest(input=folder, output=results, options=options, jobs=1)
        output = migrate(request, on_file=files.append).output_path
        after = (output / path).read_text(encoding="utf-8") if output is not None else text
    (file,) = (item for item in files if item.path == path)
    lines = text.splitlines()
    findings = [
        {**_facts(item.finding), "place": [item.start_line, 0, item.end_line, 0],
         "line": "".join(lines[item.start_line - 1 : item.start_line])[:_LONG]}
        for item in file.remaining
    ]  # fmt: skip
    return {path: _document(file.status.value, file.problem, findings, file.applied, (text, after))}


def _outcome(checked: Examination, fixed: Examination, before: str | None) -> Outcome:
    source = checked.source if checked.findings else None
    findings = list(_findings(checked.findings, source.data)) if source is not None else []
    return _document(
        f"{checked.status.value}, {fixed.status.value}",
        fixed.problem or checked.problem,
        findings,
        fixed.applied,
        (before, fixed.text),
    )


def _document(
    status: str,
    problem: Message | None,
    findings: list[Outcome],
    applied: Iterable[AppliedFix],
    texts: tuple[str | None, str | None],
) -> Outcome:
    before, after = texts
    is_changed = after is not None and after != before
    return {
        "status": status,
        "problem": _message_text(problem) if problem is not None else "",
        "findings": findings,
        "records": [
            [item.code, item.start_line, item.end_line, item.operation, _message_text(item.message)]
            for item in applied
        ],
        "texts": [before, after] if is_changed else None,
    }


def _findings(findings: Iterable[Finding], data: bytes) -> Iterator[Outcome]:
    lines = data.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    position = _positions(data, starts)
    for finding in findings:
        first, column = position(finding.start)
        text = lines[first - 1].decode("utf-8", "replace").rstrip("\r\n") if first <= len(lines) else ""
        place = [first, column, *position(finding.end)]
        yield {**_facts(finding), "place": place, "line": text[:_LONG]}


def _positions(data: bytes, starts: list[int]) -> Callable[[int], tuple[int, int]]:
    """Gives the line and the column in code points of an offset, both from 1."""

    def position(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset) if offset < len(data) else max(len(starts) - 1, 1)
        return line, len(data[starts[line - 1] : offset].decode("utf-8", "replace")) + 1

    return position


def _facts(finding: Finding) -> Outcome:
    return {
        "code": finding.code,
        "message": _message_text(finding.message),
        "severity": finding.severity.value,
        "applicability": finding.applicability.value,
        "fix": _message_text(finding.fix.title) if finding.fix is not None else "",
    }


def _message_text(message: Message) -> str:
    """A message as its id and its arguments, whatever its text."""
    return " ".join([message.id, *(f"{name}={_argument(value)}" for name, value in message.arguments)])


def _argument(value: str | Message | OptionName) -> str:
    if isinstance(value, Message):
        return f"({_message_text(value)})"
    return value.flag if isinstance(value, OptionName) else repr(value)


if __name__ == "__main__":
    main()
