"""``gpu2ascend options``: every option, for people, or as the JSON schema of which front ends are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gpu2ascend_rules.options.schema import Schema

from ....project.migrate.request import options_document
from ....texts.catalogue import Texts
from ....texts.escaping import json_text, numbered
from ...output.errors import EXIT_OK, UsageError
from ...output.language import choose_language
from ...output.terminal import table
from ...parsing.parser import CommandParser
from ...session import Session


def execute(arguments: Sequence[str], session: Session) -> int:
    """Print the options. Raises UsageError: there are arguments that it does not take."""
    namespace = _parser(session.texts).take(arguments)
    if namespace.words:
        raise UsageError("cli.error.unexpected", argument=namespace.words[0], command="gpu2ascend options")
    session.use_language(choose_language(namespace.language))
    document = options_document(session.texts.language)
    if namespace.json:
        session.out.document(json_text(numbered(document)))
    else:
        _print(document, session)
    return EXIT_OK


def _parser(texts: Texts) -> CommandParser:
    parser = CommandParser("options", "[--json]", texts)
    parser.add_flag("--json", action="store_true", help_id="cli.options.json")
    parser.add_language()
    parser.add_hidden_operands("words")
    return parser


def _print(document: dict[str, Any], session: Session) -> None:
    properties: dict[str, Schema] = document["schema"]["properties"]
    for group in document["groups"]:
        members = {name: schema for name, schema in properties.items() if schema["group"] == group["id"]}
        if members:
            session.out.line(group["title"], "bold")
            lines = table([list(_row(name, schema)) for name, schema in members.items()])
            session.out.page(f"  {line}" for line in lines)


def _row(name: str, schema: Schema) -> Iterator[str]:
    yield name
    yield ", ".join(schema.get("flags", ()))
    yield schema["description"]
