"""``gpu2ascend explain``."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from pathlib import Path

from gpu2ascend_rules.catalog import all_rules, rule_by_code
from gpu2ascend_rules.custom.schema import json_schema
from gpu2ascend_rules.guides import TOPICS, guide
from gpu2ascend_rules.rule import Rule
from gpu2ascend_rules.support import Facts
from gpu2ascend_rules.support.api_support import names_starting_with
from gpu2ascend_rules.versions import SUPPORTED_VERSIONS, Version

from ..escaping import json_text
from .api_page import api_data, api_page, print_api
from .errors import EXIT_OK, UsageError
from .language import Texts
from .parser import CommandParser
from .rule_page import print_rule, rule_data
from .selection import selected_options
from .session import Session

_SUGGESTIONS = 3


def execute(arguments: Sequence[str], session: Session) -> int:
    """Explain a rule, an API or a subject that has a guide.

    Raises:
        UsageError: nothing is known by that name.
    """
    namespace = _parser(session.texts).read(arguments)
    if len(namespace.names) != 1:
        raise UsageError("cli.error.explain_one")
    name = namespace.names[0].strip()
    text = guide(name, session.texts.language)
    if text is not None:
        _show_guide(name, text, namespace, session)
        return EXIT_OK
    options = selected_options(namespace, Path(), session)
    rule = rule_by_code(name)
    if rule is not None:
        _explain_rule(rule, options.version, namespace, session)
        return EXIT_OK
    facts = Facts.load(options.version or SUPPORTED_VERSIONS[-1], options.hardware)
    page = api_page(name, facts)
    if not page.is_known:
        raise _unknown(name, facts.version)
    if namespace.json:
        session.out.document(json_text(api_data(page)))
    else:
        print_api(page, session)
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("explain", "CODE|API|TOPIC [-v VERSION] [OPTION ...]", texts)
    parser.add_operands("names", "CODE|API|TOPIC", "cli.explain.name")
    parser.add_options("version", "hardware", help_ids={"version": "cli.explain.version"})
    parser.add_flag("--json", action="store_true", help_id="cli.explain.json")
    parser.add_language()
    return parser


def _show_guide(topic: str, text: str, namespace: argparse.Namespace, session: Session) -> None:
    if namespace.json:
        document = {"kind": "guide", "name": topic, "markdown": text, "schema": json_schema()}
        session.out.document(json_text(document))
    else:
        session.out.line(text.rstrip())


def _explain_rule(
    rule: Rule, version: Version | None, namespace: argparse.Namespace, session: Session
) -> None:
    if namespace.json:
        session.out.document(json_text(rule_data(rule, session.texts)))
    else:
        print_rule(rule, version, session)


def _unknown(name: str, version: Version) -> UsageError:
    close = close_names(name, version)
    if not close:
        return UsageError("cli.error.explain_unknown", name=name)
    return UsageError("cli.error.explain_unknown_close", name=name, close=", ".join(close))


def close_names(name: str, version: Version) -> list[str]:
    """Names that might be meant: the same last part somewhere else first, then a similar spelling."""
    known = [*names_starting_with("torch.", version), *TOPICS]
    known += [text for rule in all_rules() for text in (rule.code, rule.name)]
    last = f".{name.rpartition('.')[2].lower()}"
    same_end = [text for text in known if text.lower().endswith(last)]
    similar = difflib.get_close_matches(name, known, n=_SUGGESTIONS, cutoff=0.6)
    by_likeness = sorted(
        same_end, key=lambda text: difflib.SequenceMatcher(None, name, text).ratio(), reverse=True
    )
    return list(dict.fromkeys([*by_likeness[:_SUGGESTIONS], *similar]))[:_SUGGESTIONS]
