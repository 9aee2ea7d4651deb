"""What ``doctor`` says of a machine and of a log: to people, and to programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ... import __version__
from ...doctor.logs.failures import Failure
from ...doctor.logs.parts import part_of
from ...doctor.logs.places import Place, library_of
from ...doctor.logs.reasons import Answer, answer_of
from ...doctor.logs.statements import sentence_of
from ...doctor.machine import Machine
from ...doctor.result import Result, Status
from ...project.paths import shown
from ...texts.catalogue import Texts
from ...texts.escaping import json_text, numbered
from ..output.terminal import Terminal

_COLOURS = {
    Status.OK: "green",
    Status.INFO: "dim",
    Status.UNSEEN: "cyan",
    Status.WARNING: "yellow",
    Status.ERROR: "red",
}
_COUNTED = (Status.ERROR, Status.WARNING, Status.UNSEEN)
_CONSEQUENCES = ("follows", "general")
_QUOTED = 160
"""Characters of a log's line that are shown."""


class Reported(NamedTuple):
    """A failure that a log shows, and where in the code it was raised."""

    failure: Failure
    place: Place | None


def machine_lines(results: Sequence[Result], texts: Texts, out: Terminal) -> Iterator[str]:
    """A line for each result, with the commands that mend it below, and the counts."""
    for found in results:
        label = out.style(texts(f"doctor.status.{found.status.value}"), _COLOURS[found.status], "bold")
        yield f"{label}  {found.check}: {texts.of(found.message)}"
        yield from (f"    $ {command}" for command in found.commands)
    counts = {status.value: sum(found.status is status for found in results) for status in _COUNTED}
    yield texts("doctor.counts", **counts)


def machine_json(machine: Machine, results: Sequence[Result], code: int, texts: Texts) -> str:
    """The document of ``--json``; docs/doctor.md describes it."""
    python = machine.python
    document = {
        "gpu2ascend": __version__,
        "machine": {
            "system": machine.system,
            "architecture": machine.architecture,
            "nodes": machine.nodes,
            "environment": shown(python.directory) if python is not None else None,
            "python": python.python if python is not None else None,
        },
        "results": [
            {
                "check": found.check,
                "status": found.status.value,
                "id": found.message.id,
                "message": texts.of(found.message),
                "commands": list(found.commands),
            }
            for found in results
        ],
        "exit_code": code,
    }
    return json_text(numbered(document))


def log_lines(path: Path, reported: Sequence[Reported], texts: Texts, out: Terminal) -> Iterator[str]:
    """Each failure: where the log shows it, its cause, what to do, and the line of the code."""
    for failure, place in reported:
        head = out.style(f"{shown(path)}:{failure.line}", "bold")
        yield f"{head}: {_short(failure.text)}" + _times(failure, texts)
        first = reported[0].failure
        if first is not failure and (failure.kind in _CONSEQUENCES or first.kind == "root"):
            yield "    " + texts("doctor.log.follows", line=first.line)
        answer = answer_of(failure)
        cause = texts.of(answer.cause)
        yield "    " + texts("doctor.log.why", text=cause)
        yield from _in_full(failure, cause, texts)
        remedy = texts.of(answer.remedy)
        if failure.asks and failure.asks not in cause + remedy:
            yield "    " + texts("doctor.log.asks", text=failure.asks)
        yield "    " + texts("doctor.log.do", text=remedy)
        yield from _otherwise(failure, answer, texts)
        if answer.command:
            yield f"    $ {answer.command}"
        if place is not None:
            rules = ", ".join(place.rules or failure.rules)
            key = "doctor.log.place-rules" if rules else "doctor.log.place"
            yield "    " + texts(key, path=shown(place.path), line=place.line, rules=rules)
        elif failure.rules:
            yield "    " + texts("doctor.log.rules", rules=", ".join(failure.rules))
    yield texts("doctor.log.count" if reported else "doctor.log.none", count=len(reported), path=shown(path))


def _otherwise(failure: Failure, answer: Answer, texts: Texts) -> Iterator[str]:
    """The part and the library that may be at fault."""
    if (part := part_of(failure)) is not None:
        yield "    " + texts("doctor.log.part", text=texts.of(part))
    if (library := library_of(failure)) and not answer.is_of_owner:
        yield "    " + texts("doctor.log.library", library=library)


def _in_full(failure: Failure, cause: str, texts: Texts) -> Iterator[str]:
    """The message, where it is longer than what was shown of it, and the last exception of its chain."""
    said = failure.statement
    is_quoted = sentence_of(said).rstrip(".。") in cause
    if len(said) > min(_QUOTED, len(failure.text)) and not is_quoted:
        yield "    " + texts("doctor.log.said", text=said)
    if failure.outer:
        yield "    " + texts("doctor.log.outer", text=failure.outer)


def _short(text: str) -> str:
    return text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…"


def _times(failure: Failure, texts: Texts) -> str:
    return texts("doctor.log.times", count=failure.lines) if failure.lines > 1 else ""


def log_json(path: Path, reported: Sequence[Reported], code: int, texts: Texts) -> str:
    """The document of ``--log FILE --json``; docs/doctor.md describes it."""
    document = {
        "gpu2ascend": __version__,
        "log": shown(path),
        "failures": [_failure(*one, texts) for one in reported],
        "exit_code": code,
    }
    return json_text(numbered(document))


def _failure(failure: Failure, place: Place | None, texts: Texts) -> dict[str, object]:
    answer = answer_of(failure)
    at = (
        None if place is None else {"path": shown(place.path), "line": place.line, "rules": list(place.rules)}
    )
    return {
        "id": failure.name,
        "line": failure.line,
        "count": failure.lines,
        "text": failure.text,
        "statement": failure.statement or None,
        "outer": failure.outer or None,
        "asks": failure.asks or None,
        "kind": failure.kind,
        "cause": texts.of(answer.cause),
        "remedy": texts.of(answer.remedy),
        "command": answer.command or None,
        "part": texts.of(part) if (part := part_of(failure)) is not None else None,
        "library": library_of(failure) or None,
        "rules": list(failure.rules),
        "place": at,
    }
