"""What a check would say of an API, and what else is known of it beside its row in the list."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.facts.names.npu_names import Counterpart
from gpu2ascend_rules.facts.operators import operator_of
from gpu2ascend_rules.facts.packages.pairs import build_with
from gpu2ascend_rules.facts.packed.rows import SupportRow
from gpu2ascend_rules.facts.releases.history import Lack, lacking
from gpu2ascend_rules.facts.releases.successors import successor_of
from gpu2ascend_rules.facts.reliability import reliability_of, surely_falls_back
from gpu2ascend_rules.hosting import Replacement, replacements

from .catalogue import Texts


def verdicts(name: str, facts: Facts, texts: Texts) -> Iterator[str]:
    """The sentences, in the order of what matters."""
    lack = lacking(name, facts.version)
    if lack is not None:
        yield _of_absent(name, lack, facts, texts)
        return
    yield from _of_status(name, facts, texts)
    yield from _of_kernels(name, facts, texts)
    for item in equivalents(name):
        key, flag = ("equivalent", "--similar") if item.kind else ("adapter", "--unsafe")
        yield texts(f"cli.api.{key}", name=item.name, flag=flag)


def equivalents(name: str) -> tuple[Replacement, ...]:
    """What ``ascend_function`` has in the place of an API, in some version, each name once."""
    return tuple({item.name: item for item in replacements().get(name, ())}.values())


def counterpart_of(name: str, row: SupportRow | None, facts: Facts) -> Counterpart | None:
    """What replaces a name on the NPU: of torch.cuda's names, of methods, of words, or as the list says."""
    known = facts.npu_counterpart(name)
    if known is not None or facts.is_known_cuda_name(name):
        return known
    listed = row.npu_name if row is not None else ""
    for row_of_variable in _variables().get(name, ()):
        if row_of_variable["target"] and _holds_for(row_of_variable, facts):
            relation = "renamed" if row_of_variable["treatment"] == "rename" else "similar"
            return Counterpart(row_of_variable["target"], relation)
    other = _member_counterparts().get(name) or (listed if listed != name else "")
    return Counterpart(other, "renamed") if other else None


def _of_status(name: str, facts: Facts, texts: Texts) -> Iterator[str]:
    """What a check says of the status."""
    common = {"api": name, "version": facts.version, "hardware": facts.hardware.value}
    status = facts.status(name)
    if status is SupportStatus.UNSUPPORTED:
        verdict = reliability_of(name, facts)
        message = f"NPU001.{verdict.key}"
        if texts.has(message):
            yield texts(message, **common, **verdict.arguments)
    elif status is SupportStatus.FALLBACK_CPU and surely_falls_back(name, facts):
        yield texts("NPU002.fallback", **common)


def _of_kernels(name: str, facts: Facts, texts: Texts) -> Iterator[str]:
    """Which kernels the wheel registers for an API."""
    wheel = facts.wheel or facts.version
    operator = operator_of(name)
    build = build_with(name, facts.version) or build_with(f"torch.ops.aten.{operator}", facts.version)
    if build:
        yield texts("cli.api.since_build", version=facts.version, build=build)
    made_of = facts.kernels_behind(name)
    if facts.has_kernel(name):
        yield texts("cli.api.kernel", wheel=wheel)
    elif made_of is not None and made_of.missing:
        yield texts("cli.api.kernels_missing", operators=", ".join(made_of.missing), wheel=wheel)
    elif made_of is not None and made_of.are_complete:
        yield texts("cli.api.kernels_behind", wheel=wheel)


def _of_absent(name: str, lack: Lack, facts: Facts, texts: Texts) -> str:
    """What a check says of what this release of torch does not have."""
    key = "removed" if lack.removed is not None else "added"
    instead = successor_of(name, facts.version)
    return texts(
        f"NPU007.{key}_use" if instead is not None else f"NPU007.{key}",
        api=name,
        version=facts.version,
        release=lack.removed or lack.added or "",
        **({"instead": instead} if instead is not None else {}),
    )


def is_variable(name: str) -> bool:
    """Whether a word is an environment variable of the table."""
    return name in _variables()


def _holds_for(row: dict[str, str], facts: Facts) -> bool:
    """Whether a row of the table is about the chosen version."""
    since, until = (_minor(row[column]) for column in ("since", "until"))
    return (since is None or facts.version[:2] >= since) and (until is None or facts.version[:2] <= until)


def _minor(text: str | None) -> tuple[int, ...] | None:
    return tuple(int(part) for part in text.split(".")[:2]) if text else None


@cache
def _variables() -> dict[str, list[dict[str, str]]]:
    """The rows of each environment variable of the table."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in load_tsv("environment"):
        found.setdefault(row["variable"], []).append(row)
    return found


@cache
def _member_counterparts() -> dict[str, str]:
    return {row["name"]: row["npu"] for row in load_tsv("member_counterparts")}
