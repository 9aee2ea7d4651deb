"""``gpu2ascend explain``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gpu2ascend_rules import Rule, all_rules, rule_by_code
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.operators import Operator
from gpu2ascend_rules.facts.packages.third_party import PackageVerdict
from gpu2ascend_rules.facts.releases.changes import change_named
from gpu2ascend_rules.guides import guide
from gpu2ascend_rules.hosting import json_schema
from gpu2ascend_rules.model.hardware import Hardware, hardware_named
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.options.options import MigrationOptions

from ....doctor.answers import Answer, answer_to
from ....texts.api_page import ApiPage, api_data, api_page
from ....texts.catalogue import Texts
from ....texts.close_names import close_names
from ....texts.escaping import json_text, numbered
from ....texts.operator_page import asked_operator, facts_for, library_lines, operator_data, operator_lines
from ....texts.package_page import package_data, package_named
from ....texts.rule_title import title_of
from ....texts.target_page import TargetPage, target_page
from ...output.errors import EXIT_OK, UsageError
from ...output.terminal import table
from ...pages.printed_api import hardware_data, hardware_lines, print_api, print_package
from ...pages.rule_page import print_rule, rule_data
from ...parsing.parser import CommandParser
from ...selection import selected_options
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Explain a rule, a package, an API, a family of devices or a subject that has a guide.
    Raises UsageError: nothing is known by that name."""
    namespace = _parser(session.texts).take(arguments)
    if namespace.all:
        _list_rules(namespace, session)
        return EXIT_OK
    if len(namespace.names) != 1:
        raise UsageError("cli.error.explain_one")
    name = namespace.names[0].strip()
    text = guide(name, session.texts.language)
    if text is not None:
        _show_guide(name, text, namespace, session)
        return EXIT_OK
    family = hardware_named(name)
    if family is not None:
        _show_hardware(family, namespace, session)
        return EXIT_OK
    options = selected_options(namespace, Path(), session)
    rule = rule_by_code(name)
    if rule is not None:
        _explain_rule(rule, options.version, namespace, session)
        return EXIT_OK
    short = answer_to(name, session.texts)
    if short is not None:
        _show_answer(short, namespace, session)
        return EXIT_OK
    package = package_named(name)
    if options.route.explains is not None:
        own = target_page(name, options.version, options.route)
        if own is not None:
            _explain_for_target(own, namespace, session)
            return EXIT_OK
        if package is None:
            raise _unknown(name, NEWEST)
    _explain_name(name, package, options, namespace, session)
    return EXIT_OK


def _explain_name(
    name: str,
    package: PackageVerdict | None,
    options: MigrationOptions,
    namespace: argparse.Namespace,
    session: Session,
) -> None:
    """Explain a package, a CUDA operator or an API."""
    page = api_page(name, Facts.load(options.version or NEWEST, options.hardware))
    operator = asked_operator(name)
    if operator is None and package is not None and (package.modules or not page.is_known):
        operators = [*library_lines(package.modules, options.version, options.hardware, session.texts)]
        _explain_package(package, operators, namespace, session)
    elif operator is not None:
        if operator.own_rule and page.is_known and not namespace.json:
            print_api(page, session)  # what the rule that reports its calls offers
        of_version = facts_for(operator, options.version, options.hardware)
        _explain_operator(name, operator, of_version, namespace, session)
    else:
        _explain_api(name, page, namespace, session)


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("explain", "CODE|API|PACKAGE|DEVICE|TOPIC [-v VERSION] [OPTION ...]", texts)
    parser.add_operands("names", "CODE|API|PACKAGE|DEVICE|TOPIC", "cli.explain.name")
    parser.add_options("target", "version", "hardware", help_ids={"version": "cli.explain.version"})
    parser.add_flag("--all", action="store_true", help_id="cli.explain.all")
    parser.add_flag("--json", action="store_true", help_id="cli.explain.json")
    parser.add_language()
    return parser


def _list_rules(namespace: argparse.Namespace, session: Session) -> None:
    """All rules, by code. Raises UsageError: one is named beside them."""
    if namespace.names:
        raise UsageError("cli.error.unexpected", argument=namespace.names[0], command="gpu2ascend explain")
    rules = sorted(all_rules(), key=lambda rule: rule.code)
    if namespace.json:
        session.out.document(json_text([numbered(rule_data(rule, session.texts)) for rule in rules]))
    else:
        session.out.page(table([(rule.code, rule.name, title_of(rule, session.texts)) for rule in rules]))


def _print_json(document: Mapping[str, Any], session: Session) -> None:
    session.out.document(json_text(numbered(document)))


def _explain_for_target(page: TargetPage, namespace: argparse.Namespace, session: Session) -> None:
    lines = [session.texts.of(message) for message in page.said]
    if namespace.json:
        _print_json({"kind": "api", "name": page.name, "lines": lines}, session)
    else:
        session.out.page(lines)


def _show_guide(topic: str, text: str, namespace: argparse.Namespace, session: Session) -> None:
    if namespace.json:
        document = {"kind": "guide", "name": topic, "markdown": text, "schema": json_schema()}
        _print_json(document, session)
    else:
        session.out.line(text.rstrip())


def _show_answer(answer: Answer, namespace: argparse.Namespace, session: Session) -> None:
    if namespace.json:
        _print_json(answer._asdict(), session)
    else:
        session.out.page(answer.lines)


def _show_hardware(family: Hardware, namespace: argparse.Namespace, session: Session) -> None:
    if namespace.json:
        _print_json(hardware_data(family, session.texts), session)
        return
    session.out.page(hardware_lines(family, session.texts))


def _explain_rule(
    rule: Rule, version: Version | None, namespace: argparse.Namespace, session: Session
) -> None:
    if namespace.json:
        _print_json(rule_data(rule, session.texts), session)
    else:
        print_rule(rule, version, session)


def _explain_package(
    verdict: PackageVerdict, operators: list[str], namespace: argparse.Namespace, session: Session
) -> None:
    if namespace.json:
        more = {"operators": operators[1:]} if operators else {}
        _print_json({**package_data(verdict, session.texts), **more}, session)
    else:
        print_package(verdict, session)
        session.out.page(operators)


def _explain_api(name: str, page: ApiPage, namespace: argparse.Namespace, session: Session) -> None:
    change = change_named(name)
    is_of_others = change is not None and not name.startswith("torch.")
    if not page.is_known and change is None:
        raise _unknown(name, page.facts.version)
    if namespace.json:
        shown = {"name": name} if is_of_others else {}
        said = {"change": session.texts.of(change)} if change is not None else {}
        _print_json({**api_data(page, session.texts), **shown, **said}, session)
        return
    if page.is_known and not is_of_others:
        print_api(page, session)
    if change is not None:
        session.out.page([session.texts.of(change)])


def _explain_operator(
    name: str, operator: Operator, facts: Facts, namespace: argparse.Namespace, session: Session
) -> None:
    if namespace.json:
        _print_json(operator_data(name, operator, facts, session.texts), session)
        return
    session.out.line(name, "bold")
    session.out.line(session.texts("operator.page"), "yellow")
    session.out.page(operator_lines(operator, facts, session.texts))


def _unknown(name: str, version: Version) -> UsageError:
    close = close_names(name, version)
    if not close:
        return UsageError("cli.error.explain_unknown", name=name)
    return UsageError("cli.error.explain_unknown_close", name=name, close=", ".join(close))
