"""What the page lists in tables: effort, ways, APIs, kernels, dependencies, changes, and the rules behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .....texts.catalogue import Texts
from .....texts.rule_title import title_of_code
from ....paths import shown
from ...causes import Cause
from ...effort.classes import Effort
from ...effort.described import hours_text, method_text, total_text
from ...effort.work import Left
from ..collect import PageCollector
from ..markup import Child, Html, code, element, joined, path_code, with_code
from ..model import DependencyChange, RunFacts, WayFacts
from ..rules import parts_of
from ..tables import Column, columns, table
from .common import method, more_rows, note, rule_link, section


def effort(run: RunFacts, texts: Texts) -> Html | None:
    """The section; none where nothing is left and nothing was edited."""
    work = run.work
    if work is None or not (work.edited or any(work.left.causes.values())):
        return None
    rows = [_effort_row(texts("effort.whole"), work.left)]
    rows += [_effort_row(shown(entry), left) for entry, left in work.entries.items()]
    head = (
        *columns(texts, "effort.{}", "of:path review:number write:number"),
        *(Column(texts(f"handover.effort-{item.value}"), "number") for item in Effort),
        Column(texts("effort.range"), "number"),
    )
    return section(
        "effort",
        texts("report.effort"),
        element("p", total_text(work, texts)),
        element("p", hours_text(work.left, texts)),
        method(method_text(texts), texts),
        table(texts("effort.table"), head, rows),
    )


def _effort_row(name: str, left: Left) -> tuple[str, ...]:
    counts = (left.review, left.write, *(left.causes[item] for item in Effort))
    least, most = left.hours
    return (name, *map(str, counts), f"{least:g}–{most:g}")


_ROWS = ("changed_files", "edits", "errors", "warnings", "information")
_SHOWN = 40
"""Places of a way that the page names for each rule."""


def way(run: RunFacts, texts: Texts) -> Html | None:
    """What is said of this way beside others, where the target has several."""
    if not run.route.notes:
        return None
    items = (element("li", with_code(texts(note_id))) for note_id in run.route.notes)
    numbers = _numbers(run.ways, texts) if run.ways else None
    left = (_left(item, texts) for item in run.ways)
    return section("way", texts("report.way"), numbers, *left, element("ul", *items))


def _numbers(ways: tuple[WayFacts, ...], texts: Texts) -> Html:
    head = (Column(""), *(Column(texts(item.title_id), "number") for item in ways))
    rows = [
        (texts(f"report.way-{name}"), *(str(getattr(item.summary, name)) for item in ways)) for name in _ROWS
    ]
    return table(texts("report.way-numbers"), head, rows)


def _left(item: WayFacts, texts: Texts) -> Html | None:
    """The errors and warnings that a way leaves, by rule and place."""
    if not item.left:
        return None
    summary = element("summary", texts("report.way-left", way=texts(item.title_id)))
    return element("details", summary, element("ul", *_rules_left(item, texts)))


def _rules_left(item: WayFacts, texts: Texts) -> Iterator[Html]:
    for rule, places in sorted(item.left.items()):
        named: list[Child] = []
        for place in places[:_SHOWN]:
            named += [", " if named else " ", path_code(place)]
        more = len(places) - _SHOWN
        rest = f", {texts('report.more-places', count=more)}" if more > 0 else ""
        yield element("li", element("span", rule, translate="no"), f" ({len(places)}):", *named, rest)


_MAX_ROWS = 200
_KINDS = ("unsupported", "unknown", "cuda_op")


def apis(run: RunFacts, found: PageCollector, texts: Texts) -> Html | None:
    """The section; none where there is nothing to list."""
    causes = found.causes.in_order()
    of_kinds = [(kind, [cause for cause in causes if cause.about.kind == kind]) for kind in _KINDS]
    of_kinds.append(("restricted", list(found.restricted.in_order())))
    tables = [_api_table(kind, items, texts) for kind, items in of_kinds if items]
    if not tables:
        return None
    version = {"version": run.version, "hardware": run.hardware}
    return section("apis", texts("report.apis"), note(texts("report.apis-text", **version)), *tables)


def _api_table(kind: str, causes: Sequence[Cause], texts: Texts) -> Html:
    head = columns(texts, "report.column-{}", "api:path count:number instead place:path rule")
    heading = texts(f"report.apis-{kind}", count=sum(cause.count for cause in causes))
    rows = (tuple(_api_cells(cause, texts)) for cause in causes[:_MAX_ROWS])
    more = more_rows(len(causes) - _MAX_ROWS, texts)
    listed = table(texts(f"report.apis-{kind}-caption"), head, rows)
    if kind == "restricted":  # nothing has to be done about these
        return element("details", element("summary", heading), listed, more, class_="more")
    return joined((element("h3", heading), listed, more))


def _api_cells(cause: Cause, texts: Texts) -> Iterator[Child]:
    yield path_code(cause.about.api or "–")
    yield str(cause.count)
    offered = with_code(texts("report.offer-similar")) if cause.about.replaces else None
    yield joined(element("div", item) for item in (with_code(cause.text), offered) if item is not None)
    yield path_code(cause.place)
    yield rule_link(cause.code)


def kernels(run: RunFacts, texts: Texts) -> Html | None:
    """The section; none where the project has no kernels."""
    chapter = run.kernels
    if chapter is None or not chapter.rows:
        return None
    head = (
        Column(texts("report.column-where"), "path"),
        *columns(texts, "kernel.column-{}", "name lines:number made-of callers:path effort way"),
    )
    rows = (
        (path_code(row.place), code(row.name), str(row.lines), row.made_of, row.callers, row.effort, row.way)
        for row in chapter.rows
    )
    made = table(texts("kernel.caption"), head, rows)
    return section("kernels", texts("report.kernels"), note(chapter.total), made)


def dependencies(found: PageCollector, texts: Texts) -> Html | None:
    """The section; none where nothing was found about dependencies."""
    changes = found.dependencies
    if not changes:
        return None
    head = columns(texts, "report.column-{}", "where:path before:path after:path why")
    rows = (_dependency_cells(change, texts) for change in changes)
    more = more_rows(found.dependency_count - len(changes), texts)
    title = texts("report.dependencies")
    return section("dependencies", title, table(texts("report.dependencies-caption"), head, rows), more)


def _dependency_cells(change: DependencyChange, texts: Texts) -> tuple[Html, Html, Html, Html]:
    why = joined((with_code(change.text), " ", rule_link(change.code)))
    if not change.before and not change.after:
        nothing = element("span", texts("report.unchanged"), class_="zero")
        return path_code(change.place), nothing, nothing, why
    return path_code(change.place), _lines(change.before), _lines(change.after), why


def _lines(text: str) -> Html:
    return joined(element("div", code(line)) for line in text.split("\n"))


def changes(found: PageCollector, texts: Texts) -> Html | None:
    """The edits by rule; none where nothing was changed."""
    if not found.edits:
        return None
    head = columns(texts, "report.column-{}", "rule what edits:number")
    ordered = sorted(found.edits.items(), key=lambda item: (-item[1], item[0]))
    rows = ((rule_link(rule), title_of_code(rule, texts), str(count)) for rule, count in ordered)
    return section("changes", texts("report.changes"), table(texts("report.changes-caption"), head, rows))


def reference(found: PageCollector, texts: Texts) -> Html | None:
    """The documentation of each rule that the page names."""
    causes = (*found.causes.in_order(), *found.restricted.in_order(), *found.advice.in_order())
    dependencies = {change.code for change in found.dependencies}
    rules = sorted({*found.edits, *(cause.code for cause in causes), *dependencies}, key=_by_number)
    if not rules:
        return None
    intro = note(with_code(texts("report.rules-text")))
    return section("rules", texts("report.rules"), intro, *(_rule(rule, texts) for rule in rules))


def _by_number(rule: str) -> tuple[str, int]:
    name = rule.rstrip("0123456789")
    return name, int(rule[len(name) :] or 0)


def _rule(rule: str, texts: Texts) -> Html:
    heading = element("h3", code(rule), " ", title_of_code(rule, texts))
    return element("article", heading, joined(_parts(rule, texts)), id=f"rule-{rule}", tabindex=-1)


def _parts(rule: str, texts: Texts) -> Iterator[Html]:
    for name, text in parts_of(rule, texts).items():
        if name != "example":
            yield element("p", element("strong", texts(f"report.rule-{name}")), " ", with_code(text))
