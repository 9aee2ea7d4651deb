"""Work orders as JSON for agents, as Markdown for people, and as a prompt for an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.messages.visible import visible
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

from ... import __version__
from ...texts.catalogue import Texts
from ...texts.escaping import code_span, markdown
from ...texts.plain_data import plain_data
from ..errors import InputError
from ..manifest.ticks import DONE, OPEN
from ..paths import shown
from ..report.effort.described import work_data, work_lines
from ..report.effort.work import Work
from .commands import Looked, repeated_flags
from .earlier import NOTHING, Earlier, Known
from .orders import Causes, WorkOrder

FORMAT = 1
"""Of the JSON document; a change that readers must know of raises it."""


class Unread(NamedTuple):
    """A file that could not be examined, so that nobody knows what is left in it."""

    path: str
    reason: str


class Handover(NamedTuple):
    """All that is left of a project."""

    version: Version
    hardware: Hardware
    target: str
    orders: tuple[WorkOrder, ...]
    unread: tuple[Unread, ...] = ()
    done: tuple[Known, ...] = ()
    work: Work | None = None
    """How much the orders are."""
    ticked: frozenset[str] = frozenset()
    """The orders that people have ticked, although their checks do not hold."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that is known."""
        return not self.orders and not self.unread


def handover_of(
    causes: Causes,
    options: MigrationOptions,
    texts: Texts,
    source: str | None,
    earlier: Earlier = NOTHING,
    *,
    has_version: bool = True,
    recorded: frozenset[str] | None = None,
) -> Handover:
    """What causes come to.

    Args:
        options: With a version.
        source: The path from the project to what was migrated, where that is known.
        earlier: What the last migration has left.
        has_version: Whether commands in the project choose this version by themselves.
        recorded: The orders of the document in the project; None where this becomes the document.
    """
    version = options.require_version()
    looked = Looked(source, repeated_flags(options, has_version=has_version), recorded)
    orders = causes.orders(Facts.load(version, options.hardware), texts, looked)
    unread = tuple(Unread(path, texts.of(reason)) for path, reason in causes.unread.items())
    left = {order.id for order in orders}
    return Handover(
        version,
        options.hardware,
        options.target.name,
        orders,
        unread,
        earlier.done(left, frozenset(causes.unread)),
        causes.work,
        earlier.ticked & left,
    )


def with_one(handover: Handover, name: str, earlier: Earlier) -> Handover:
    """The same with one order alone; empty exactly when the order is done.
    Raises InputError: nobody knows of an order of this name."""
    if name not in earlier.names and all(order.id != name for order in handover.orders):
        raise InputError(Message.of("handover.unknown", name=name))
    hiding = earlier.hiding(name, frozenset(item.path for item in handover.unread))
    return handover._replace(
        orders=tuple(order for order in handover.orders if order.id == name),
        unread=tuple(item for item in handover.unread if item.path in hiding),
        done=tuple(order for order in handover.done if order.id == name),
        work=None,
    )


def work_orders(handover: Handover, texts: Texts) -> dict[str, Any]:
    """The document as plain data, of the schema ``docs/work-orders.schema.json``."""
    effort = {} if handover.work is None else {"effort": work_data(handover.work, texts)}
    return {
        "format": FORMAT,
        "tool": "gpu2ascend",
        "tool_version": __version__,
        "torch": str(handover.version),
        "hardware": handover.hardware.value,
        "target": handover.target,
        "orders": plain_data(handover.orders),
        "not_examined": plain_data(handover.unread),
        "done": plain_data(handover.done),
        **effort,
    }


def markdown_lines(handover: Handover, texts: Texts) -> Iterator[str]:
    """The document for people: what to do, in order, as a list to tick."""
    orders = handover.orders
    yield f"# {texts('handover.title')}"
    yield ""
    yield texts("handover.made-for", version=handover.version, hardware=handover.hardware.value)
    yield texts("handover.nothing" if handover.is_empty else "handover.loop")
    if handover.work is not None and handover.orders:
        yield ""
        yield from (f"- {markdown(line)}" for line in work_lines(handover.work, texts))
    if handover.unread:
        yield ""
        yield from _unread(handover, texts)
    for on_the_way, heading in ((True, "handover.on-the-way"), (False, "handover.beside")):
        group = [order for order in orders if order.on_the_way is on_the_way]
        if group:
            yield ""
            yield f"## {texts(heading, count=len(group))}"
        for order in group:
            yield ""
            yield from section(order, texts, box=DONE if order.id in handover.ticked else OPEN)
    if handover.done:
        yield ""
        yield f"## {texts('handover.done', count=len(handover.done))}"
        yield ""
        yield from (f"- [x] {item.id} {markdown(item.title)}" for item in handover.done)


def check_lines(handover: Handover, name: str, texts: Texts) -> Iterator[str]:
    """Whether an order is done; if not, what is left of it."""
    if handover.is_empty:
        known = handover.done[0].title if handover.done else ""
        yield " ".join((texts("handover.is-done", order=name), markdown(known))).rstrip()
    yield from _unread(handover, texts)
    for order in handover.orders:
        yield from section(order, texts)


def prompt_lines(handover: Handover, directory: Path, texts: Texts) -> Iterator[str]:
    """What is to be done in a project, and by which rules."""
    yield texts(
        "handover.prompt.task",
        version=handover.version,
        hardware=handover.hardware.value,
        directory=code_span(shown(directory)),
    )
    for order in handover.orders:
        yield ""
        yield from section(order, texts)
    yield ""
    yield texts("handover.prompt.rules")


def _unread(handover: Handover, texts: Texts) -> Iterator[str]:
    if handover.unread:
        yield f"## {texts('handover.unread', count=len(handover.unread))}"
        yield ""
        yield from (f"- {code_span(item.path)}: {markdown(item.reason)}" for item in handover.unread)


def section(order: WorkOrder, texts: Texts, *, box: str = "") -> Iterator[str]:
    """An order for people and for a chat; ``box`` is what to tick."""
    named = f": {code_span(order.api)}" if order.api and order.api not in order.message else ""
    yield f"### {box}{order.id} {markdown(order.title)}{named}"
    yield ""
    severity, effort = (
        texts(f"report.severity-{order.severity.value}-text"),
        texts(f"handover.effort-{order.effort.value}"),
    )
    because = order.effort_because
    yield texts("handover.class", severity=severity, effort=effort, because=because, count=order.total)
    yield ""
    yield markdown(order.message)
    for key, text in (("why", order.why), ("write", order.write)):
        if text:
            yield ""
            yield f"**{texts(f'handover.{key}')}** {markdown(text)}"
    known = [*map(markdown, order.known), *_replacement(order, texts)]
    if known:
        yield ""
        yield from (f"- {line}" for line in known)
    if order.pattern:
        yield ""
        yield texts("handover.pattern")
        yield ""
        yield from (f"    {visible(line)}" for line in order.pattern.splitlines())
    yield ""
    yield from _places(order, texts)
    yield ""
    commands = [(key, getattr(order, key)) for key in ("fix", "check", "verify", "compare")]
    lines = [f"{texts(f'handover.{key}')} {code_span(command)}" for key, command in commands if command]
    yield "  \n".join(lines)


def _places(order: WorkOrder, texts: Texts) -> Iterator[str]:
    for place in order.places:
        cell = f" {texts('handover.cell', cell=place.cell)}" if place.cell is not None else ""
        shown = f": {code_span(place.code)}" if place.code else ""
        yield f"- {code_span(f'{place.path}:{place.line}')}{cell}{shown}"
    if order.total > len(order.places):
        yield f"- {texts('handover.more', count=order.total - len(order.places), code=order.code)}"


def _replacement(order: WorkOrder, texts: Texts) -> Iterator[str]:
    """What takes the API's place, as Markdown."""
    known = order.replacement
    if known is None:
        return
    if known.signature or known.differences:
        yield texts("handover.replacement", call=code_span(known.signature or known.name))
        yield from map(markdown, known.differences)
    if known.limits:
        yield texts("handover.limits", limits=code_span(known.limits))
    if known.otherwise:
        yield texts("handover.otherwise", code=code_span(known.otherwise))
