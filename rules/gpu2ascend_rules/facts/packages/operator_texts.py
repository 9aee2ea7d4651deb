"""What is said of a CUDA operator: the same text in a finding, in a report and by ``explain``."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.finding import Message
from ..facts import Facts
from ..releases.history import lacking
from .operators import Operator, release_for

_NPU = "torch_npu"


def is_available(operator: Operator, facts: Facts) -> bool:
    """Whether what takes the operator's place exists for the chosen version."""
    if not operator.instead:
        return False
    if operator.module in (_NPU, "torch") and facts.version < tuple(map(int, operator.since.split("."))):
        return False
    if operator.module == _NPU:
        return facts.npu_name_exists(operator.instead)
    if operator.module == "torch":
        return lacking(operator.instead, facts.version) is None
    release = release_for(operator.module, facts.version)
    return release is None or bool(release.newest)


def advice(operator: Operator, facts: Facts) -> Message:
    """What to use instead, how it differs, its limits, and since when it is there."""
    return _joined(list(_parts(operator, facts)))


def _parts(operator: Operator, facts: Facts) -> Iterator[Message]:
    available = is_available(operator, facts)
    if operator.built:
        yield Message.of("operator.built", branches=", ".join(operator.built))
    if available:
        yield from _used(operator, facts)
    elif operator.instead:
        yield _missing(operator, facts)
    if operator.otherwise:
        yield Message.of("operator.otherwise", code=operator.otherwise)
    if not operator.instead and not operator.otherwise and not operator.built:
        yield Message.of("operator.nothing")


def _used(operator: Operator, facts: Facts) -> Iterator[Message]:
    call = f"{operator.instead}({operator.signature})" if operator.signature else operator.instead
    yield Message.of("operator.alternative" if operator.built else "operator.use", call=call)
    release = release_for(operator.module, facts.version)
    if release is not None:
        details = {"package": release.package, "release": release.newest, "since": operator.since}
        yield Message.of("operator.release", version=facts.version, **details)
    elif operator.module not in (_NPU, "torch"):
        yield Message.of("operator.since", package=operator.module, since=operator.since)
    for code, text in operator.differs:
        yield Message.of(f"operator.differs.{code}", text=text)
    if operator.limits:
        yield Message.of("operator.limits", limits=operator.limits)


def _missing(operator: Operator, facts: Facts) -> Message:
    release = release_for(operator.module, facts.version)
    details = {"name": operator.instead, "version": facts.version}
    if release is None:
        return Message.of("operator.missing", **details)
    versions = ", ".join(map(str, release.versions))
    return Message.of("operator.no_release", package=release.package, versions=versions, **details)


def _joined(parts: list[Message]) -> Message:
    text = parts[0]
    for part in parts[1:]:
        text = Message.of("operator.and", first=text, second=part)
    return text
