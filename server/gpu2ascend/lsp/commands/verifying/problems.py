"""What a run found, as problems in lines of the project: the plain data that docs/lsp.md describes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs

from gpu2ascend_rules.text.lines import ColumnUnit, LineIndex

from ....project.paths import shown
from ....project.regular_files import read_inside
from ....texts.catalogue import Texts
from ....verify.result.model import Failure, Place, VerifyResult
from ....verify.showing.lines import explanation_lines, first_lines, refusal_text
from ...documentation import rule_pages
from ..results.finding_data import JsonObject, line_range, range_data

_MOST = 200
_MAX_BYTES = 5_000_000


def problems_of(result: VerifyResult, texts: Texts, unit: ColumnUnit) -> list[JsonObject]:
    """The first error, what the NPU does not take, and operators without a kernel; of each place where it is.

    Reads the files that have problems.
    """
    made = _Problems(result, texts, unit)
    return [*made.failures(), *made.refusals(), *made.operators()][:_MOST]


@attrs.define
class _Problems:
    result: VerifyResult
    texts: Texts
    unit: ColumnUnit
    _contents: dict[str, bytes] = attrs.field(factory=dict)
    """Of the files that were read."""

    def failures(self) -> Iterator[JsonObject]:
        failure = self.result.failure
        if failure is None or failure.place is None:
            return
        said = f"{failure.type}: {first_lines(failure.text)}"
        message = "\n".join([said, *(line.strip() for line in explanation_lines(failure, self.texts))])
        called = [self._called(place) for place in reversed(failure.traceback[:-1])]
        yield {**self._problem(failure.place, "error", message), **self._rule(failure), "related": called}

    def refusals(self) -> Iterator[JsonObject]:
        """What the device does not take, but for what the first error is about."""
        failure = self.result.failure
        failed = (failure.place.path, failure.place.line) if failure and failure.place else None
        for item in self.result.refusals:
            if item.place is not None and (item.place.path, item.place.line) != failed:
                yield self._problem(item.place, "warning", refusal_text(item, self.texts))

    def operators(self) -> Iterator[JsonObject]:
        for use in self.result.unregistered:
            if use.place is not None:
                text = self.texts(
                    "verify.no-kernel", name=use.name, version=self.result.version, count=use.count
                )
                yield self._problem(use.place, "warning", text)

    def _problem(self, place: Place, severity: str, message: str) -> JsonObject:
        located = self._located(place)
        return {
            **located,
            "severity": severity,
            "message": message,
            "code": None,
            "page": None,
            "related": [],
        }

    def _rule(self, failure: Failure) -> JsonObject:
        codes = [*(rule.code for rule in failure.rules), *failure.named_rules]
        if not codes:
            return {}
        return {"code": codes[0], "page": rule_pages.link(codes[0], self.texts.language)}

    def _called(self, place: Place) -> JsonObject:
        return {**self._located(place), "message": self.texts("lsp.verify.called", function=place.function)}

    def _located(self, place: Place) -> JsonObject:
        path = self.result.project.joinpath(*place.path.split("/"))
        return {"path": place.path, "file": shown(path), "range": self._range(path, place)}

    def _range(self, path: Path, place: Place) -> JsonObject:
        """The text of the line, without what it is indented by."""
        if place.path not in self._contents:
            self._contents[place.path] = self._read(path)
        data, number = self._contents[place.path], place.line - 1
        lines = LineIndex(data)
        if not 0 <= number < lines.line_count:
            return line_range(max(0, number), max(0, number))
        start, end = lines.line_span(number)
        text = data[start:end]
        start += len(text) - len(text.lstrip())
        return range_data(lines, start, max(start, end - (len(text) - len(text.rstrip()))), self.unit)

    def _read(self, path: Path) -> bytes:
        try:
            return read_inside(self.result.project, path, _MAX_BYTES)
        except OSError:
            return b""
