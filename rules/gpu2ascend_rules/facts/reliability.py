"""How sure it is that an API does not work which a support list calls unsupported.

The lists are printed tables with slips. Where other public statements speak against one, a finding says so
instead of repeating it as a fact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import cache, lru_cache
from typing import NamedTuple

from ..data import load_tsv
from ..inference.classes.torch_classes import word_of
from . import Facts, SupportStatus
from .api_support import WHAT_A_CLASS_IS_FOR
from .dtype_limits import dtypes_not_taken
from .operators import composition_of
from .releases.device_free import is_device_free

WORKING = frozenset({SupportStatus.SUPPORTED, SupportStatus.RESTRICTED, SupportStatus.FALLBACK_CPU})
_NAME = re.compile(r"torch(?:\.\w+)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Reliability(NamedTuple):
    """What to say of an API that the version's list calls unsupported."""

    key: str
    """``unsupported``, or ``unsupported_use`` when something else does the same; ``disputed`` when another
    list of the version says otherwise; ``contradicted`` when the same list supports what does the same;
    ``registered`` when torch_npu registers the kernels for it all the same;
    ``gap`` when lists of versions before and after support it; ``elsewhere`` when it works off the NPU;
    ``on_cpu`` when another list says otherwise, and it runs on the CPU for want of a kernel;
    ``slip`` when the API touches no device, or its class is supported and can do nothing without it."""
    arguments: Mapping[str, str] = {}

    @property
    def is_sure(self) -> bool:
        """Whether nothing speaks against the list."""
        return self.key in ("unsupported", "unsupported_use")

    @property
    def is_refuted(self) -> bool:
        """Whether so much speaks against the list that there is nothing to do."""
        return self.key in ("slip", "gap", "disputed", "registered")


def reliability_of(api: str, facts: Facts) -> Reliability:
    """What to say of an API that the version's list calls unsupported."""
    if _is_slip(api, facts):
        return Reliability("slip")
    disputed = _disputed(api, facts)
    if disputed is not None:
        return disputed
    works = [version for version, status in facts.matrix(api).items() if status in WORKING]
    if works and min(works) < facts.version < max(works):
        return Reliability("gap")  # what worked and works again has hardly failed between
    twin = _working_twin(api, facts)
    if twin is not None:
        return Reliability("contradicted", {"other": twin})
    if any(facts.has_kernel(name) for name in (api, *_twins(api))) or _is_made_of_kernels(api, facts):
        return Reliability("registered")
    if api in _OF_CPU_TENSORS:
        return Reliability("elsewhere")
    alternative = _alternative_to(api, facts)
    return (
        Reliability("unsupported_use", {"alternative": alternative})
        if alternative
        else Reliability("unsupported")
    )


def _disputed(api: str, facts: Facts) -> Reliability | None:
    """What to say where another list says otherwise; None where none does."""
    row = facts.row(api)
    if row is None or all(status == "unsupported" for status in row.conflict.values()):
        return None
    kernels = facts.kernels_behind(api)
    if kernels is not None and kernels.missing:
        return Reliability("on_cpu", {"operator": kernels.missing[0]})
    return Reliability("disputed")


def _is_made_of_kernels(api: str, facts: Facts) -> bool:
    """Whether torch_npu has the kernels for all that an API is made of, and the list does not speak of the
    very operator: of ``MaxPool3d`` it does, of the packing of sequences, which is made of others, not."""
    kernels = facts.kernels_behind(api)
    made_of = composition_of(api)
    if kernels is None or made_of is None or not kernels.are_complete:
        return False
    own = _HUMP.sub("_", api.rpartition(".")[2]).lower().strip("_")
    return not any(own in operator for operator in made_of.always)


def surely_falls_back(api: str, facts: Facts) -> bool:
    """Whether an API that the list lets run on the CPU has no kernel. One that has leaves the NPU for some
    dtypes at most; and optimizers are Python, of which the lists say what was tested."""
    kernels = facts.kernels_behind(api)
    if is_device_free(api) or facts.has_kernel(api) or (kernels is not None and kernels.are_complete):
        return False
    return not api.startswith("torch.optim.") and api != "torch.Tensor.double"


@lru_cache(maxsize=4096)
def limits_matter(api: str, facts: Facts) -> bool:
    """Whether what the list restricts of an API is worth a line in a report: a limit that is none of data
    types, or data types of which some are certainly not taken."""
    row = facts.row(api)
    if row is None:
        return False
    return not row.dtypes_on(facts.hardware) or bool(dtypes_not_taken(api, facts))


class MembersToLookAt:
    """The members of a status that may be worth a finding. Each is judged when a file has its name first."""

    def __init__(self, facts: Facts, status: SupportStatus, *, with_doubtful: bool) -> None:
        self._facts = facts
        self._status = status
        self._with_doubtful = with_doubtful
        self._apis: dict[bytes, list[str]] = {}
        self._words: dict[bytes, frozenset[bytes]] = {}
        is_asked = with_doubtful or status not in (SupportStatus.UNKNOWN, SupportStatus.RESTRICTED)
        for api in facts.members_with(status) if is_asked else ():
            self._apis.setdefault(api.rpartition(".")[2].encode(), []).append(api)

    @property
    def names(self) -> Set[bytes]:
        """The names of members that are to be judged."""
        return self._apis.keys()

    def words_with(self, name: bytes) -> frozenset[bytes]:
        """The words of which a file must have one beside such a member; none where it is worth no finding."""
        if name not in self._words:
            owners = (api.rpartition(".")[0] for api in self._apis[name] if self._is_worth(api))
            self._words[name] = frozenset(word_of(owner).encode() for owner in owners)
        return self._words[name]

    def _is_worth(self, api: str) -> bool:
        if self._status is SupportStatus.FALLBACK_CPU:
            return self._with_doubtful or surely_falls_back(api, self._facts)
        return self._status is not SupportStatus.RESTRICTED or limits_matter(api, self._facts)


@cache
def members_to_look_at(facts: Facts, status: SupportStatus, *, with_doubtful: bool) -> MembersToLookAt:
    """The members of a status that may be worth a finding.

    ``with_doubtful`` adds those that reports list and editors do not underline.
    """
    return MembersToLookAt(facts, status, with_doubtful=with_doubtful)


_OF_CPU_TENSORS = frozenset({"torch.Tensor.share_memory_", "torch.nn.Module.share_memory"})
"""Fail for tensors on the NPU, while code mostly calls them where tensors are on the CPU."""


def _alternative_to(api: str, facts: Facts) -> str | None:
    """What does the same as an API, unless that does not work either."""
    alternative = alternatives().get(api)
    names = _NAME.findall(alternative or "")
    return None if any(facts.status(name) is SupportStatus.UNSUPPORTED for name in names) else alternative


@cache
def alternatives() -> Mapping[str, str]:
    """What does the same as an API, by the API."""
    return {row["api"]: row["alternative"] for row in load_tsv("alternatives")}


def _working_twin(api: str, facts: Facts) -> str | None:
    """Another name by which the same list has what the API does, and says that it works."""
    for twin in _twins(api):
        row = facts.row(twin)
        if row is not None and row.api != api and facts.status(twin) in WORKING:
            return twin
    return None


def _twins(api: str) -> tuple[str, ...]:
    """The names that mean the same computation: method and function, module and function."""
    module, _, last = api.rpartition(".")
    if module == "torch.Tensor":
        return (f"torch.{last}",)
    if module == "torch":
        return f"torch.Tensor.{last}", f"torch.nn.functional.{last}"
    if module == "torch.nn":
        return (f"torch.nn.functional.{_HUMP.sub('_', last).lower()}",)
    if module == "torch.nn.functional":
        return f"torch.nn.{''.join(word.capitalize() for word in last.split('_'))}", f"torch.{last}"
    if module == "torch.func":
        return (f"torch.{last}",)
    return ()


def is_listed_indirectly(api: str, facts: Facts) -> bool:
    """Whether the version's list has an API by another name, or the members of a class without the class."""
    return any(facts.status(twin) in WORKING for twin in _twins(api)) or bool(facts.listed_names(f"{api}."))


def _is_slip(api: str, facts: Facts) -> bool:
    """Whether a list cannot be right: the API touches no device, or is the one member that a supported class
    is for."""
    owner, _, member = api.rpartition(".")
    if is_device_free(api):
        return True
    return member in WHAT_A_CLASS_IS_FOR and facts.status(owner) in WORKING
