"""Names that ``explain`` answers for besides rules, as text for a terminal: APIs, packages, hardware."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu2ascend_rules.facts import SupportStatus
from gpu2ascend_rules.facts.packages.signatures import signature_of
from gpu2ascend_rules.facts.packages.third_party import PackageVerdict
from gpu2ascend_rules.facts.packed.rows import SupportRow
from gpu2ascend_rules.model.hardware import Hardware, versions_on
from gpu2ascend_rules.options.options import option_infos

from ...texts.api_page import ApiPage, Matrix, replacement, restrictions, sources, statuses_by_range
from ...texts.catalogue import Texts
from ...texts.package_page import package_lines, status_text
from ..output.terminal import table
from ..session import Session

_PACKAGE_COLOURS = {
    "works": "green",
    "plain": "green",
    "no": "red",
    "replaced": "yellow",
    "part": "yellow",
    "cpu": "yellow",
}


def print_package(verdict: PackageVerdict, session: Session) -> None:
    """Print the page."""
    texts, out = session.texts, session.out
    out.line(verdict.name, "bold")
    out.line(status_text(verdict, texts), _PACKAGE_COLOURS.get(verdict.status, "dim"))
    out.page(package_lines(verdict, texts))


def hardware_lines(family: Hardware, texts: Texts) -> tuple[str, ...]:
    """The page, line by line."""
    lists = "cli.hardware.lists" if family.has_lists else "cli.hardware.listless"
    return (
        texts(f"cli.hardware.{family.value}"),
        texts(lists, last=versions_on(family)[-1]),
        texts("cli.hardware.use", flag=option_infos()["hardware"].name, name=family.value),
    )


def hardware_data(family: Hardware, texts: Texts) -> dict[str, Any]:
    """The same for programs."""
    return {
        "kind": "hardware",
        "name": family.value,
        "text": "\n".join(hardware_lines(family, texts)),
        "has_lists": family.has_lists,
    }


_COLOURS = {
    SupportStatus.SUPPORTED: "green",
    SupportStatus.UNSUPPORTED: "red",
    SupportStatus.RESTRICTED: "yellow",
    SupportStatus.FALLBACK_CPU: "yellow",
    SupportStatus.UNKNOWN: "dim",
}


def print_api(page: ApiPage, session: Session) -> None:
    """Print the page."""
    texts, out, facts = session.texts, session.out, page.facts
    out.line(page.name, "bold")
    status = facts.status(page.name)
    shown = out.style(texts(f"cli.status.{status.value}"), _COLOURS[status])
    is_judged = not page.is_word and not (page.npu_versions and status is SupportStatus.UNKNOWN)
    if is_judged:
        out.line(texts("cli.api.status", version=facts.version, hardware=facts.hardware.value, status=shown))
    out.page(replacement(page, texts))
    if page.row is not None:
        out.page(_details(page, page.row, texts))
    if page.npu_versions:
        versions = ", ".join(str(version) for version in page.npu_versions)
        out.line(texts("cli.api.npu_versions", versions=versions))
    signature = signature_of(page.name, facts.version)
    if signature is not None:
        out.page([texts("cli.api.signature", signature=signature)])
    for rule in page.rules:
        is_despite = rule.fails and status is SupportStatus.SUPPORTED and page.counterpart is None
        said = "cli.api.rule_despite" if is_despite else "cli.api.rule"
        out.page([texts(said, code=rule.code, name=rule.name)])
    if is_judged:
        out.line()
        out.lines(_matrix_lines(page.matrix, texts))


def _details(page: ApiPage, row: SupportRow, texts: Texts) -> Iterator[str]:
    yield from restrictions(page, row, texts)
    dtypes = row.dtypes_on(page.facts.hardware)
    if dtypes:
        yield texts("cli.api.dtypes")
        yield from (f"  {line}" for line in table([(n, ", ".join(k)) for n, k in dtypes.items()]))
    yield from sources(row, texts)


def _matrix_lines(matrix: Matrix, texts: Texts) -> list[str]:
    head = ("PyTorch", *(hardware.value for hardware in Hardware))
    rows = [
        (versions, *(texts(f"cli.status.{status.value}") for status in statuses))
        for versions, statuses in statuses_by_range(matrix)
    ]
    return table([head, *rows])
