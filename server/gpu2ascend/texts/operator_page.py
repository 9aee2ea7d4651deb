"""What is known of a CUDA operator, as lines and as plain data: the text of the finding at its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.operator_texts import advice
from gpu2ascend_rules.facts.packages.operators import Operator, operator_named, operators_of, release_for
from gpu2ascend_rules.facts.packages.signatures import signature_of
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

from .catalogue import Texts


def asked_operator(asked: str) -> Operator | None:
    """The operator that a user means by its qualified name, or by the last two parts of it."""
    name = asked.strip().strip("`'\"")
    return operator_named(name) or operator_named(f"{name}.apply")


def facts_for(operator: Operator, version: Version | None, hardware: Hardware) -> Facts:
    """The facts for a version, or, where none is given, for the newest that the package is made for."""
    newest = SUPPORTED_VERSIONS[-1]
    release = release_for(operator.module, newest)
    return Facts.load(version or (release.versions[-1] if release is not None else newest), hardware)


def operator_lines(operator: Operator, facts: Facts, texts: Texts) -> Iterator[str]:
    """What takes the operator's place, and where that is said."""
    yield texts.of(advice(operator, facts))
    yield texts("operator.source", source=operator.source)


def library_lines(
    modules: tuple[str, ...], version: Version | None, hardware: Hardware, texts: Texts
) -> Iterator[str]:
    """The operators of a library, each with what takes its place; nothing for a library without any."""
    found = [row for module in modules for row in operators_of(module)]
    if found:
        yield texts("operator.names")
    for row in found:
        said = advice(row, facts_for(row, version, hardware))
        yield texts("operator.line", name=", ".join(row.names), advice=texts.of(said))


def operator_data(name: str, operator: Operator, facts: Facts, texts: Texts) -> dict[str, Any]:
    """The page as plain data."""
    return {
        "kind": "operator",
        "name": name,
        "version": str(facts.version),
        "instead": operator.instead or None,
        "signature": signature_of(name, facts.version),
        "advice": texts.of(advice(operator, facts)),
        "source": operator.source,
    }
