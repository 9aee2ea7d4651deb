"""Rules whose findings are rows of ``data/names.tsv``: names that the NPU lacks, or has under another name.

A new name is a line of the table and an example of its rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import NamedTuple

from ..data import load_tsv
from ..engine.context import Context
from ..engine.events import ImportRef, NameRef
from ..engine.rule import Event, Handler, Rule, Subscription
from ..limits.parents import parent_of
from ..messages import FALLBACK, catalogue
from ..model.finding import Applicability, Finding, Severity
from ..model.versions import Version, choose_version
from ..text.guards import is_guarded
from ..text.names import Certainty
from ..text.scopes import BindingKind
from ..text.syntax import field, is_field, outside_parentheses, passed_to, text_of
from .qualified_names import changes_with_import, name_becomes


class Row(NamedTuple):
    """One line of the table: what is reported of names, and when."""

    names: tuple[str, ...]
    """Qualified names, or patterns such as ``apex.contrib.**``."""
    at: str
    """What is looked for and reported: the ``name``, a ``call`` of it, or an ``import`` of it."""
    when: tuple[str, ...]
    """Names of :data:`CONDITIONS`, which must all hold."""
    first: Version | None
    before: Version | None
    """The releases from the first to the one before this."""
    key: str
    """The message."""
    severity: Severity
    kind: str
    fix: Applicability | None
    becomes: str
    """The name that the fix writes; the row is only for releases in which torch_npu has it."""

    @property
    def is_of_torch_npu(self) -> bool:
        """Whether torch_npu has the new name, not torch."""
        return self.becomes.startswith("torch_npu.")

    def holds(self, rule: str, ref: NameRef | ImportRef, ctx: Context) -> bool:
        """Whether a place is what the row is about."""
        if self.first is not None and ctx.version < self.first:
            return False
        if self.before is not None and ctx.version >= self.before:
            return False
        if self.is_of_torch_npu and not ctx.facts.npu_name_exists(self.becomes):
            return False
        library = ref.name.partition(".")[0]
        if library != "torch" and ctx.project.path_of_module(ctx.source.path, library) is not None:
            return False  # a package of the project has the library's name
        is_met = all(CONDITIONS[name](ref, ctx) for name in self.when if name != ONCE)
        return is_met and (ONCE not in self.when or ctx.is_first((rule, self.key), ref.node))


class NamedRule(Rule):
    """Base of the rules with rows: at each name, the first row that holds is reported."""

    def handlers(self) -> Iterator[tuple[Subscription, Handler]]:
        yield from super().handlers()
        for (event, name), rows in rows_of(self.code).items():
            yield Subscription(event, name), partial(self._report_first, rows)

    def _report_first(self, rows: list[Row], ref: NameRef | ImportRef, ctx: Context) -> Iterator[Finding]:
        row = next((row for row in rows if row.holds(self.code, ref, ctx)), None)
        if row is None:
            return
        fix = None
        renaming = name_becomes(ref, row.becomes, ctx) if row.fix is not None else None
        if renaming is not None and row.fix is not None:
            needed = renaming.requires if row.is_of_torch_npu else ()
            fix = self.fix(row.fix, edits=renaming.edits, requires=needed)
        text = catalogue(FALLBACK)[f"{self.code}.{row.key}"]
        known = {"target": row.becomes, "version": ctx.version}
        arguments = {name: value for name, value in known.items() if f"{{{name}}}" in text}
        place = (ref.call if isinstance(ref, NameRef) and row.at == "call" else None) or ref.node
        severity = Severity.INFORMATION if _may_be_another(ref, row) else row.severity
        yield self.report(place, row.key, severity, fix=fix, api=ref.name, kind=row.kind, **arguments)


def _may_be_another(ref: NameRef | ImportRef, row: Row) -> bool:
    """Whether a name that fails means something else on another way: what chooses it is reported where it
    is chosen."""
    is_ambiguous = isinstance(ref, NameRef) and ref.certainty is Certainty.AMBIGUOUS
    return is_ambiguous and row.severity is Severity.ERROR


@cache
def rows_of(code: str) -> Mapping[tuple[Event, str], list[Row]]:
    """The rows of a rule, by what they look for, in the order of the table."""
    found: dict[tuple[Event, str], list[Row]] = {}
    for line in load_tsv("names"):
        if code in line["rule"].split():
            row = _row(line)
            for name in row.names:
                event = Event.IMPORT if row.at == "import" else Event.NAME
                found.setdefault((event, name), []).append(row)
    return found


def _row(line: Mapping[str, str | None]) -> Row:
    cells = {column: cell or "" for column, cell in line.items()}
    return Row(
        names=tuple(cells["names"].split()),
        at=cells["at"],
        when=(*cells["when"].split(), *(["called"] if cells["at"] == "call" else [])),
        first=choose_version(cells["first"]).version if cells["first"] else None,
        before=choose_version(cells["before"]).version if cells["before"] else None,
        key=cells["message"],
        severity=Severity(cells["severity"]),
        kind=cells["kind"],
        fix=Applicability(cells["fix"]) if cells["fix"] else None,
        becomes=cells["becomes"],
    )


def _is_called(ref: NameRef | ImportRef) -> bool:
    return isinstance(ref, NameRef) and ref.call is not None


def _is_turned_on(ref: NameRef | ImportRef) -> bool:
    """Whether a mode is set, or may be: the first argument of the call is not False."""
    mode = ref.arguments.get("mode", 0) if isinstance(ref, NameRef) else None
    return mode is None or mode.value.type != "false"


def _is_set_to_true(ref: NameRef | ImportRef) -> bool:
    """Whether an attribute gets a value that is not False."""
    statement = parent_of(outside_parentheses(ref.node))
    if statement is None or statement.type != "assignment" or not is_field(ref.node, "left"):
        return False
    value = field(statement, "right")
    return value is not None and value.type != "false"


def _is_setting(ref: NameRef | ImportRef) -> bool:
    """Whether the setting itself is named, not a variable that keeps its value."""
    if isinstance(ref, ImportRef) or ref.binding is None:
        return True
    return ref.binding.kind is not BindingKind.ASSIGNMENT or ref.root_name != ref.name


ONCE = "once"
"""The condition that no row with the same message holds before in the file."""

_OF_DEVICE = ("device", "use_prefetcher")
"""Arguments that say where a function works, or that it moves nothing."""


def _is_given_device(ref: NameRef) -> bool:
    given = ref.arguments
    return bool(given.unpacked) or any(given.keyword(name) is not None for name in _OF_DEVICE)


_GPU = re.compile(r"\b(?:cuda|npu)\b")


def _is_given_gpu(ref: NameRef) -> bool:
    given = ref.arguments.keyword("device")
    return given is not None and _GPU.search(text_of(given.value)) is not None


CONDITIONS: Mapping[str, Callable[[NameRef | ImportRef, Context], bool]] = {
    "called": lambda ref, ctx: _is_called(ref),
    "passed": lambda ref, ctx: passed_to(ref.node) is not None,
    "turned-on": lambda ref, ctx: _is_turned_on(ref),
    "set": lambda ref, ctx: _is_set_to_true(ref),
    "setting": lambda ref, ctx: _is_setting(ref),
    "spelled-out": lambda ref, ctx: isinstance(ref, NameRef) and not changes_with_import(ref),
    "below-import": lambda ref, ctx: isinstance(ref, NameRef) and "." not in ref.root_name,
    "tried": lambda ref, ctx: is_guarded(ref.node),
    "unguarded": lambda ref, ctx: isinstance(ref, ImportRef) and not is_guarded(ref.statement),
    "no-device": lambda ref, ctx: isinstance(ref, NameRef) and not _is_given_device(ref),
    "on-gpu": lambda ref, ctx: isinstance(ref, NameRef) and _is_given_gpu(ref),
}
