"""The page of a rule, a package, an API or a guide as Markdown: what ``explain`` prints, for an editor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from gpu2ascend_rules import Example, Rule, rule_by_code
from gpu2ascend_rules.explaining import PARTS, documentation
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.third_party import PackageVerdict
from gpu2ascend_rules.facts.releases.changes import change_named
from gpu2ascend_rules.guides import guide
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.targets.registry import DEFAULT
from gpu2ascend_rules.targets.target import Target

from ...texts.api_page import ApiPage, api_page, replacement, restrictions, sources, statuses_by_range
from ...texts.catalogue import Texts
from ...texts.close_names import close_names
from ...texts.escaping import code_span
from ...texts.operator_page import asked_operator, library_lines, operator_lines
from ...texts.package_page import package_lines, package_named, status_text
from ...texts.rule_title import title_of
from ...texts.target_page import TargetPage, target_page

_REMEMBERED = 500
"""Pages of APIs: a pointer comes back to the same few names, and each costs a look at every version."""
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)


class Explanation(NamedTuple):
    """What is known by a name."""

    kind: str | None
    """``rule``, ``package``, ``operator``, ``api``, ``guide``, ``code``, ``word``, ``rules``, or None when
    nothing is."""
    markdown: str = ""
    close: tuple[str, ...] = ()
    """Names that might be meant, when nothing is known by this one."""


def explanation(
    name: str, version: Version, hardware: Hardware, language: str, route: Target = DEFAULT
) -> Explanation:
    """What a rule's code or name, a package, a qualified API, or the subject of a guide is about."""
    from ...doctor.answers import answer_to  # with the tables of logs, which a pointer over code asks nothing

    text = guide(name, language)
    if text is not None:
        return Explanation("guide", text)
    texts = Texts(language)
    rule = rule_by_code(name)
    if rule is not None:
        return Explanation("rule", "\n\n".join(_rule_blocks(rule, texts)))
    short = answer_to(name, texts)
    if short is not None:
        return Explanation(short.kind, "\n\n".join(short.lines))
    own = target_page(name, version, route)
    if own is not None:
        return Explanation("api", _lines_of(own, language))
    page = page_of_api(name, version, hardware, language, route)
    verdict = package_named(name)
    operator = asked_operator(name)
    if operator is None and verdict is not None and (verdict.modules or page is None):
        listed = _listed(library_lines(verdict.modules, version, hardware, texts))
        return Explanation("package", _blocks(_package_block(verdict, texts), listed))
    if operator is not None:
        said = _listed(operator_lines(operator, Facts.load(version, hardware), texts))
        shown = page if operator.own_rule else f"### {code_span(name)}\n\n**{texts('operator.page')}**"
        return Explanation("operator", _blocks(shown, said))
    changed = _changed(name, page, texts)
    known = changed if changed is not None else page
    return Explanation("api", known) if known else Explanation(None, close=tuple(close_names(name, version)))


def _changed(name: str, page: str | None, texts: Texts) -> str | None:
    """The page of a name that later releases do not have, or that behaves otherwise there."""
    change = change_named(name)
    if change is None:
        return None
    is_of_torch = page is not None and name.startswith("torch.")
    return _blocks(page if is_of_torch else f"### {code_span(name)}", texts.of(change))


def _listed(lines: Iterator[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _blocks(*blocks: str | None) -> str:
    return "\n\n".join(block for block in blocks if block)


def page_of_package(name: str, language: str) -> str | None:
    """What is known of a package or a module of others, as Markdown; ``None`` for nothing."""
    verdict = package_named(name)
    return _package_block(verdict, Texts(language)) if verdict is not None else None


def _package_block(verdict: PackageVerdict, texts: Texts) -> str:
    lines = "\n".join(f"- {line}" for line in package_lines(verdict, texts))
    return f"### {code_span(verdict.name)}\n\n**{status_text(verdict, texts)}**\n\n{lines}"


@lru_cache(_REMEMBERED)
def page_of_api(
    name: str,
    version: Version,
    hardware: Hardware,
    language: str,
    route: Target = DEFAULT,
    *,
    lists_rules: bool = True,
) -> str | None:
    """What is known of a qualified API, as Markdown; ``None`` for nothing.

    Args:
        lists_rules: Whether the rules that look at it are listed too.
    """
    if route.explains is not None:
        said = route.explains(name, version)
        return _lines_of(TargetPage(name, said), language) if said else None
    page = api_page(name, Facts.load(version, hardware))
    return "\n\n".join(_api_blocks(page, Texts(language), lists_rules)) if page.is_known else None


def _lines_of(page: TargetPage, language: str) -> str:
    lines = (f"- {render(message, language)}" for message in page.said)
    return "\n".join([f"### {code_span(page.name)}", "", *lines])


def _rule_blocks(rule: Rule, texts: Texts) -> Iterator[str]:
    yield f"### {rule.code} {rule.name}"
    yield title_of(rule, texts)
    parts = documentation(rule, texts.language)
    for part in PARTS.values():
        if parts.get(part):
            yield f"**{texts(f'cli.explain.{part}')}**"
            yield literals_as_code(parts[part])
    for example in rule.examples:
        yield from _example_blocks(example, texts)


def literals_as_code(text: str) -> str:
    """A docstring's literals as code of Markdown; a line may end within one."""
    return _LITERAL.sub(r"`\1`", text)


def _example_blocks(example: Example, texts: Texts) -> Iterator[str]:
    kind = "unchanged" if example.is_unchanged else "manual" if example.manual else "before"
    yield f"*{texts(f'cli.explain.example_{kind}', version=example.version)}*"
    yield _code(example.before)
    for key, text in (("after", example.after), ("after_unsafe", example.unsafe)):
        if text is not None and text != example.before:
            yield f"*{texts(f'cli.explain.{key}')}*"
            yield _code(text)


def _api_blocks(page: ApiPage, texts: Texts, lists_rules: bool = True) -> Iterator[str]:
    facts = page.facts
    yield f"### {code_span(page.name)}"
    if not page.is_word:
        status = texts(f"cli.status.{facts.status(page.name).value}")
        yield texts(
            "cli.api.status", version=facts.version, hardware=facts.hardware.value, status=f"**{status}**"
        )
    lines = list(replacement(page, texts))
    if page.row is not None:
        lines += restrictions(page, page.row, texts)
        lines += sources(page.row, texts)
    if lists_rules:
        lines += [texts("cli.api.rule", code=rule.code, name=rule.name) for rule in page.rules]
    if lines:
        yield "\n".join(f"- {line}" for line in lines)
    dtypes = page.row.dtypes_on(facts.hardware) if page.row is not None else {}
    if dtypes:
        named = [f"- `{name}`: {', '.join(kinds)}" for name, kinds in dtypes.items()]
        yield "\n".join([texts("cli.api.dtypes"), "", *named])
    if not page.is_word:
        yield "\n".join(_table(page, texts))


def _table(page: ApiPage, texts: Texts) -> Iterator[str]:
    yield " | ".join(("PyTorch", *(hardware.value for hardware in Hardware)))
    yield " | ".join(["---"] * (1 + len(Hardware)))
    for versions, statuses in statuses_by_range(page.matrix):
        yield " | ".join((versions, *(texts(f"cli.status.{status.value}") for status in statuses)))


def _code(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}python\n{text.rstrip()}\n{fence}"
