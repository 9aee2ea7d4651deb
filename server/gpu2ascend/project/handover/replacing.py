"""What takes the place of an API on the NPU: its exact signature, how it differs, and its limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.facts.names.npu_names import Counterpart
from gpu2ascend_rules.facts.packages.operator_texts import is_available
from gpu2ascend_rules.facts.packages.operators import Operator, operator_named
from gpu2ascend_rules.facts.packages.signatures import origin_of, signature_of
from gpu2ascend_rules.facts.reliability import alternatives
from gpu2ascend_rules.model.versions import Version

from ...texts.api_page import ApiPage, range_of
from ...texts.catalogue import Texts

_SAME = "same_name"
_NPU_NAME = re.compile(r"\btorch_npu(?:\.\w+)+")


class Replacement(NamedTuple):
    """What takes an API's place in a release."""

    name: str
    """Empty where no single name does."""
    signature: str
    """Empty where nothing publishes it, which the differences say."""
    differences: tuple[str, ...]
    """How to call it otherwise than the API."""
    limits: str
    """What it takes, as formulas."""
    otherwise: str
    """An expression of plain torch that does the same; empty where none is known."""


def replacement_of(page: ApiPage, facts: Facts, texts: Texts) -> Replacement | None:
    """What takes the place of the API of a page; None where nothing is known to."""
    name = page.name
    operator = operator_named(name) if not name.startswith("torch") else None
    if operator is not None:
        return _of_operator(name, operator, facts, texts)
    counterpart = page.counterpart
    if counterpart is not None:
        signature = signature_of(counterpart.name, facts.version) or ""
        return Replacement(
            counterpart.name, signature, tuple(_differs(counterpart, signature, texts)), "", ""
        )
    alternative = alternatives().get(name)
    if alternative is not None and facts.status(name) is SupportStatus.UNSUPPORTED:
        return Replacement("", "", (), "", alternative.strip("`"))
    return None


def _differs(counterpart: Counterpart, signature: str, texts: Texts) -> Iterator[str]:
    """How a counterpart is called, and where its signature is from."""
    if counterpart.relation == _SAME:
        yield texts("operator.differs.same")
    origin = origin_of(counterpart.name)
    if origin is not None and signature:
        yield texts("operator.differs.inherited", origin=origin)
    elif counterpart.is_called and not signature:
        yield texts("operator.differs.unpublished", name=counterpart.name)


def _of_operator(name: str, operator: Operator, facts: Facts, texts: Texts) -> Replacement | None:
    if not is_available(operator, facts):
        return Replacement("", "", (), "", operator.otherwise) if operator.otherwise else None
    differs = tuple(texts(f"operator.differs.{code}", text=text) for code, text in operator.differs)
    signature = signature_of(name, facts.version) or ""
    return Replacement(operator.instead, signature, differs, operator.limits, operator.otherwise)


def is_of_another(write: str, message: str) -> bool:
    """Whether what a rule says to write names other names of torch_npu than a message: it is about another
    message of the rule."""
    named, wanted = set(_NPU_NAME.findall(message)), set(_NPU_NAME.findall(write))
    return bool(named and wanted) and not named & wanted


def named_calls(message: str, version: Version, texts: Texts) -> Iterator[str]:
    """How to call each name of torch_npu that a message has, where a table knows."""
    for name in dict.fromkeys(_NPU_NAME.findall(message)):
        signature = signature_of(name, version)
        if signature is not None:
            yield texts("handover.call", call=signature)


def by_release(page: ApiPage, facts: Facts, texts: Texts) -> Iterator[str]:
    """The support on the chosen hardware by releases, where it is not the same in all."""
    of_hardware = [(version, statuses[facts.hardware]) for version, statuses in page.matrix.items()]
    ranges = [
        (status, [version for version, _ in group])
        for status, group in groupby(of_hardware, key=lambda item: item[1])
    ]
    if len(ranges) > 1:
        said = (f"{range_of(versions)}: {texts(f'cli.status.{status.value}')}" for status, versions in ranges)
        yield texts("handover.by-release", hardware=facts.hardware.value, ranges="; ".join(said))
