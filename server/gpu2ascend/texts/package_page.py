"""What is known of a package of others on the NPU, as lines and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpu2ascend_rules.facts.packages.third_party import PackageVerdict, verdict_of_module, verdict_of_package

from .catalogue import Texts

_ASKED_OF_RULES = ("NPU701.", "NPU1103.")
"""Beginnings of the ids of messages that rules show, which need the name of what they are about."""


def package_named(asked: str) -> PackageVerdict | None:
    """The package that a user means by the name of the package or of a module of its."""
    name = asked.strip().strip("`'\"")
    if not name or any(character.isspace() for character in name):
        return None
    found = verdict_of_package(name)
    if found is not None:
        return found
    by_module = verdict_of_module(name)
    return by_module if by_module is not None and name in by_module.modules else None


def status_text(verdict: PackageVerdict, texts: Texts) -> str:
    """How far the package works, in one phrase."""
    return texts(f"package.status.{verdict.status}")


def package_lines(verdict: PackageVerdict, texts: Texts) -> Iterator[str]:
    """What is known beside the status: releases, what takes the package's place, what to do, the source."""
    version, name = verdict.works_from, verdict.replacement
    if name and version:
        yield texts("package.replacement_from", name=name, version=version)
    elif name:
        yield texts("package.replacement", name=name)
    elif version:
        yield texts("package.from", version=version)
    if verdict.advice:
        yield advice_text(verdict, texts)
    if verdict.modules:
        yield texts("package.modules", names=", ".join(verdict.modules))
    confidence = texts(f"package.confidence.{verdict.confidence}")
    yield texts("package.source", source=verdict.source, confidence=confidence)


def advice_text(verdict: PackageVerdict, texts: Texts) -> str:
    """What to do; empty where the status says it all."""
    if not verdict.advice.startswith(_ASKED_OF_RULES):
        return texts(verdict.advice) if verdict.advice else ""
    name = verdict.name
    return texts(verdict.advice, library=name, names="", package=name, replacement=verdict.replacement)


def package_data(verdict: PackageVerdict, texts: Texts) -> dict[str, Any]:
    """The page as plain data."""
    return {
        "kind": "package",
        "name": verdict.name,
        "package": verdict.package or None,
        "modules": list(verdict.modules),
        "status": verdict.status,
        "works_from": verdict.works_from or None,
        "replacement": verdict.replacement or None,
        "advice": advice_text(verdict, texts) or None,
        "source": verdict.source,
        "confidence": verdict.confidence,
    }
