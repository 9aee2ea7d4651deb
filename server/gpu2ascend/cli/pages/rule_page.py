"""``explain`` for a rule: its documentation and its examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu2ascend_rules import Example, Rule
from gpu2ascend_rules.explaining import PARTS, documentation
from gpu2ascend_rules.model.versions import Version

from ...texts.catalogue import Texts
from ...texts.rule_title import title_of
from ..output.terminal import filled
from ..session import Session


def rule_data(rule: Rule, texts: Texts) -> dict[str, Any]:
    """All that is known of a rule, as plain data."""
    parts = documentation(rule, texts.language)
    return {
        "kind": "rule",
        "code": rule.code,
        "name": rule.name,
        "family": rule.family.value,
        "title": title_of(rule, texts),
        "first_version": _text_or_none(rule.first_version),
        "last_version": _text_or_none(rule.last_version),
        **{name: parts.get(name, "") for name in PARTS.values()},
        "examples": [_example_data(example) for example in rule.examples],
    }


def print_rule(rule: Rule, version: Version | None, session: Session) -> None:
    """Print a rule's page."""
    texts, out = session.texts, session.out
    head = out.style(f"{rule.code} {rule.name}", "bold")
    out.line(f"{head} ({rule.family.value})")
    out.line(title_of(rule, texts))
    for line in _validity(rule, version, texts):
        out.line(line)
    parts = documentation(rule, texts.language)
    for name in PARTS.values():
        if parts.get(name):
            out.line()
            out.line(texts(f"cli.explain.{name}"), "bold")
            # A docstring's marks of code become those of the messages.
            _indented(filled(parts[name].replace("``", "`")), session)
    for example in rule.examples:
        _print_example(example, session)


def _validity(rule: Rule, version: Version | None, texts: Texts) -> Iterator[str]:
    first, last = rule.first_version, rule.last_version
    if first is not None and last is not None:
        yield texts("cli.explain.versions_between", first=first, last=last)
    elif first is not None:
        yield texts("cli.explain.versions_from", first=first)
    elif last is not None:
        yield texts("cli.explain.versions_to", last=last)
    if version is not None and not rule.holds_for(version):
        yield texts("cli.explain.not_for_version", version=version)


def _print_example(example: Example, session: Session) -> None:
    texts, out = session.texts, session.out
    out.line()
    out.line(texts(f"cli.explain.example_{_kind(example)}", version=example.version), "bold")
    _indented(example.before, session)
    for key, text in (("after", example.after), ("after_unsafe", example.unsafe)):
        if text is not None and text != example.before:
            out.line(texts(f"cli.explain.{key}"), "bold")
            _indented(text, session)


def _kind(example: Example) -> str:
    if example.is_unchanged:
        return "unchanged"
    return "manual" if example.manual else "before"


def _indented(text: str, session: Session) -> None:
    for line in text.rstrip("\n").split("\n"):
        session.out.line(f"    {line}".rstrip())


def _example_data(example: Example) -> dict[str, Any]:
    return {
        "version": example.version,
        "before": example.before,
        "after": example.after,
        "after_unsafe": example.unsafe,
        "manual": example.manual,
    }


def _text_or_none(version: Version | None) -> str | None:
    return str(version) if version is not None else None
