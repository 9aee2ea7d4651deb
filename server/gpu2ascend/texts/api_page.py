"""What is known of an API: how far the NPU supports it, and what takes its place there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from gpu2ascend_rules import Family, Rule
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.facts.names.npu_names import Counterpart
from gpu2ascend_rules.facts.packages.signatures import signature_of
from gpu2ascend_rules.facts.packed.rows import SupportRow
from gpu2ascend_rules.facts.releases.history import lacking
from gpu2ascend_rules.hosting import dispatch_for
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.targets.registry import DEFAULT

from .asked_names import meanings
from .catalogue import Texts
from .verdicts import counterpart_of, equivalents, is_variable, verdicts

_CUDA, _NPU = "torch.cuda", "torch_npu.npu"
_NPU_ROOTS = ("torch_npu", "torch.npu")
_WITH_MEMBERS = ("torch.Tensor", "torch.nn.Module")
"""Classes whose members rules look at on any object."""
Matrix = dict[Version, dict[Hardware, SupportStatus]]


class ApiPage(NamedTuple):
    """What the tables have of one API, for one version and hardware, and for all of them."""

    name: str
    asked: str
    """What the user wrote, which may be another spelling."""
    facts: Facts
    row: SupportRow | None
    counterpart: Counterpart | None
    later: Version | None
    """The first version with a counterpart, when the chosen one has none."""
    matrix: Matrix
    npu_versions: tuple[Version, ...]
    """The versions that have it, when it is itself a name of the NPU's."""
    rules: tuple[Rule, ...]
    """The rules that look at it."""

    @property
    def is_word(self) -> bool:
        """Whether it is no API, but a word: of strings, of the environment, of a command."""
        return self.row is None and "." not in self.name and self.name != "torch"

    @property
    def is_known(self) -> bool:
        """Whether there is anything to show. Of torch's own names the tables decide: a rule that looks
        at everything below a module looks at misspelt names, too."""
        listed = any(
            status is not SupportStatus.UNKNOWN
            for statuses in self.matrix.values()
            for status in statuses.values()
        )
        if listed or self.row is not None or self.npu_versions:
            return True
        if self.facts.is_known_cuda_name(self.name) or lacking(self.name, self.facts.version) is not None:
            return True
        if self.counterpart is not None or equivalents(self.name) or _is_feature(self.name):
            return True
        return bool(self.rules) and self.name.partition(".")[0] != "torch"


def _is_feature(name: str) -> bool:
    """Whether a name is of what only some builds of torch_npu have beyond names."""
    return any(f"{name}.".startswith(f"{row['name']}.") for row in load_tsv("features"))


def api_page(asked: str, facts: Facts) -> ApiPage:
    """What the tables and the rules have of an API, as a user may write it: the likeliest that is known."""
    pages = (_page(name, asked, facts) for name in meanings(asked))
    return next((page for page in pages if page.is_known), None) or _page(asked.strip(), asked, facts)


def _page(name: str, asked: str, facts: Facts) -> ApiPage:
    everywhere = {hardware: Facts.load(facts.version, hardware).matrix(name) for hardware in Hardware}
    return ApiPage(
        name=name,
        asked=asked.strip(),
        facts=facts,
        row=facts.row(name),
        counterpart=counterpart_of(name, facts.row(name), facts),
        later=_later(name, facts),
        matrix={
            version: {hardware: everywhere[hardware][version] for hardware in Hardware}
            for version in SUPPORTED_VERSIONS
        },
        npu_versions=tuple(_versions_with(name)),
        rules=_rules_about(name, facts.version),
    )


def _rules_about(name: str, version: Version) -> tuple[Rule, ...]:
    """The rules that look at a name; those that look every name up in the lists say what the page says."""
    dispatch = dispatch_for(DEFAULT, version, (), ())
    wanting = [bound for patterns in (dispatch.names, dispatch.imports) for bound, _ in patterns.match(name)]
    owner, _, last = name.rpartition(".")
    if owner in _WITH_MEMBERS:
        wanting += dispatch.members.get(last, ())
    if not owner:
        words = [text for text in dispatch.strings if text == name or (text in name and is_variable(name))]
        wanting += [bound for word in words for bound in dispatch.strings[word]]
        wanting += dispatch.keywords.get(name, ())
    found = {
        bound.outline.code: bound.outline.rule
        for bound in wanting
        if bound.outline.family is not Family.SUPPORT and bound.outline.is_specific
    }
    return tuple(found[code] for code in sorted(found))


def _later(name: str, facts: Facts) -> Version | None:
    if not name.startswith(f"{_CUDA}.") or facts.npu_counterpart(name) is not None:
        return None
    first = facts.first_version_with(_NPU + name.removeprefix(_CUDA))
    return first if first is not None and first > facts.version else None


def _versions_with(name: str) -> Iterator[Version]:
    if name.startswith(tuple(f"{root}." for root in _NPU_ROOTS)):
        for version in SUPPORTED_VERSIONS:
            if Facts.load(version, Hardware.A2).npu_name_exists(name):
                yield version


def api_data(page: ApiPage, texts: Texts) -> dict[str, Any]:
    """The page as plain data."""
    facts, row, counterpart = page.facts, page.row, page.counterpart
    lack = lacking(page.name, facts.version)
    return {
        "kind": "api",
        "name": page.name,
        "asked": page.asked,
        "version": str(facts.version),
        "hardware": facts.hardware.value,
        "status": facts.status(page.name).value,
        "counterpart": counterpart._asdict() if counterpart is not None else None,
        "counterpart_from": str(page.later) if page.later is not None else None,
        "lacking": lack._asdict() if lack is not None else None,
        "has_kernel": facts.has_kernel(page.name),
        "signature": signature_of(page.name, facts.version),
        "said": [*replacement(page, texts), *(restrictions(page, row, texts) if row is not None else ())],
        "equivalents": [item.name for item in equivalents(page.name)],
        "rules": [rule.code for rule in page.rules],
        "npu_versions": [str(version) for version in page.npu_versions],
        "listed": _row_data(row, facts.hardware) if row is not None else None,
        "support": [
            {"versions": versions, **{h.value: found.value for h, found in zip(Hardware, of, strict=True)}}
            for versions, of in statuses_by_range(page.matrix)
        ],
        "matrix": {
            str(version): {hardware.value: status.value for hardware, status in statuses.items()}
            for version, statuses in page.matrix.items()
        },
    }


def _row_data(row: SupportRow, hardware: Hardware) -> dict[str, Any]:
    return {
        "name": row.api,
        "kind": row.kind,
        "npu_name": row.npu_name or None,
        "dtypes": {name: list(kinds) for name, kinds in row.dtypes_on(hardware).items()},
        "flags": sorted(row.flags),
        "tags": sorted(row.tags),
        "hardware_notes": row.hw_notes or None,
        "conflict": dict(row.conflict),
        "source": row.source,
    }


def replacement(page: ApiPage, texts: Texts) -> Iterator[str]:
    """What the user's text means, and what takes the API's place on the NPU, or that nothing does."""
    if page.asked != page.name:
        yield texts("cli.api.meant", asked=page.asked, name=page.name)
    version = page.facts.version
    if page.counterpart is not None:
        relation = page.counterpart.relation
        yield texts(f"cli.api.relation_{relation}", name=page.counterpart.name, version=version)
    elif page.later is not None:
        yield texts("cli.api.counterpart_later", version=version, later=page.later)
    elif page.facts.is_known_cuda_name(page.name):
        yield texts("cli.api.no_counterpart", version=version)
    yield from verdicts(page.name, page.facts, texts)


def restrictions(page: ApiPage, row: SupportRow, texts: Texts) -> Iterator[str]:
    """What the list says beside the data types."""
    if row.api != page.name:
        yield texts("cli.api.listed_as", name=row.api)
    for name in sorted(row.flags | row.tags):
        yield texts(f"cli.api.flag_{name}")


def sources(row: SupportRow, texts: Texts) -> Iterator[str]:
    """Where it is from, and who says otherwise."""
    for source, status in row.conflict.items():
        yield texts("cli.api.conflict", source=source, status=texts(f"cli.status.{status}"))
    yield texts("cli.api.source", source=row.source)


def statuses_by_range(matrix: Matrix) -> Iterator[tuple[str, tuple[SupportStatus, ...]]]:
    """The statuses on each hardware family, by ranges of versions of which the lists say the same."""
    for statuses, versions in _alike(matrix):
        yield range_of(versions), statuses


def _alike(matrix: Matrix) -> Iterator[tuple[tuple[SupportStatus, ...], list[Version]]]:
    """Successive versions of which the lists say the same, together."""
    by_version = ((tuple(statuses[h] for h in Hardware), version) for version, statuses in matrix.items())
    for statuses, group in groupby(by_version, key=itemgetter(0)):
        yield statuses, [version for _, version in group]


def range_of(versions: Sequence[Version]) -> str:
    """Successive versions as a user reads them."""
    return str(versions[0]) if len(versions) == 1 else f"{versions[0]} - {versions[-1]}"
