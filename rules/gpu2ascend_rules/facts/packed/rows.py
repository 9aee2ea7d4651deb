"""What a row of a support list means for one hardware family.

The lists need reading with care:

* A "no" for the 950DT where both A2 and A3 say "yes" is on half the rows, among them plain Python
  functions and ``torch.matmul``. It says that the 950DT has not been listed yet: *unknown*, not unsupported.
* Dtypes listed for methods of modules, for containers, optimizers and other Python that runs on the host
  say with which dtypes the vendor tested them. They are no limits.
* A note on one hardware restricts the API there, and there only.
* A list without a split by hardware speaks for every hardware.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...model.hardware import Hardware
from ..statuses import SupportStatus
from .row_format import ListedRow

Dtypes = Mapping[str, tuple[str, ...]]
"""Dtypes by parameter; ``*`` where the list names no parameter."""

ORDINARY_DTYPES = (
    "float16", "bfloat16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool",
    "complex64", "complex128",
)  # fmt: skip
"""All dtypes of tensors that are not quantized: what an API without a dtype list takes."""

_HOST_ONLY = (
    "torch.autograd.", "torch.backends.", "torch.fx.", "torch.jit.", "torch.nn.modules.lazy.",
    "torch.nn.modules.module.", "torch.nn.parameter.", "torch.nn.utils.prune.", "torch.optim.",
    "torch.testing.", "torch.utils.",
)  # fmt: skip
"""Namespaces of Python code without kernels, whatever the dtype."""
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Module")
_DTYPE_FLAGS = frozenset({"no_float64"})


class SupportRow(NamedTuple):
    """What the list of one version says of one API."""

    api: str
    """The name under which the list has it; an alias was resolved to it."""
    listed: ListedRow

    @property
    def kind(self) -> str:
        """``class``, ``function``, ``method``, ``attribute`` or ``unknown``."""
        return self.listed.kind

    @property
    def npu_name(self) -> str:
        """The NPU name that the list prints, also for an unsupported API; or nothing."""
        return self.listed.npu_name

    @property
    def flags(self) -> frozenset[str]:
        """``no_float64``, ``cpu_fallback``, ``inference_only``, ``other_restriction``."""
        return frozenset(filter(None, self.listed.flags.split(",")))

    @property
    def tags(self) -> frozenset[str]:
        """``cpu_only``, ``perf_note``, ``in_both_lists``, ``conditional_dtypes``."""
        return frozenset(filter(None, self.listed.tags.split(",")))

    @property
    def source(self) -> str:
        """Which public list the row is from."""
        return self.listed.source

    @property
    def conflict(self) -> Mapping[str, str]:
        """Other public lists of the same version that say otherwise: source -> status."""
        entries = (entry.partition("=") for entry in self.listed.conflict.split(";") if entry)
        return {source: status for source, _, status in entries}

    @property
    def hw_notes(self) -> str:
        """Notes on single hardware families, as the tables write them."""
        return self.listed.hw_notes

    @property
    def dtypes(self) -> Dtypes:
        """The dtypes per parameter as listed; empty when the list has none."""
        parameters = (entry.partition(":") for entry in self.listed.dtypes.split(";") if entry)
        return {name: tuple(filter(None, kinds.split(","))) for name, _, kinds in parameters}

    @property
    def dtypes_are_limits(self) -> bool:
        """Whether the listed dtypes limit the API, rather than say what was tested."""
        return not _is_tested_only(self.api, self.kind)

    @property
    def statuses(self) -> Mapping[Hardware, SupportStatus]:
        """The status on every hardware family that the lists have."""
        return {hardware: self.status_on(hardware) for hardware in Hardware if hardware.has_lists}

    def status_on(self, hardware: Hardware) -> SupportStatus:
        """The status on one hardware family."""
        if self._mark(hardware) == "no":
            return self._status_of_no(hardware)
        status = SupportStatus(self.listed.status)
        if status is SupportStatus.RESTRICTED and self._is_restricted_by_tests_alone():
            status = SupportStatus.SUPPORTED
        if status is SupportStatus.SUPPORTED and any(self._notes_on(hardware)):
            return SupportStatus.RESTRICTED
        return status

    def dtypes_on(self, hardware: Hardware) -> Dtypes:
        """The dtypes that the API takes there, per parameter; empty when they are not limited."""
        limits = dict(self.dtypes) if self.dtypes_are_limits else {}
        for kind, dtypes in self._notes_on(hardware):
            limits = _noted(limits or {"*": ORDINARY_DTYPES}, kind, dtypes) if dtypes else limits
        return limits

    def _mark(self, hardware: Hardware) -> str:
        marks = {Hardware.A3: self.listed.a3, Hardware.DT950: self.listed.dt950}
        return marks.get(hardware, self.listed.a2)

    def _status_of_no(self, hardware: Hardware) -> SupportStatus:
        elsewhere = self.listed.a2 == self.listed.a3 == "yes"
        if hardware is Hardware.DT950 and elsewhere:
            return SupportStatus.UNKNOWN
        return SupportStatus.UNSUPPORTED

    def _is_restricted_by_tests_alone(self) -> bool:
        return bool(self.listed.dtypes) and self.flags <= _DTYPE_FLAGS and not self.dtypes_are_limits

    def _notes_on(self, hardware: Hardware) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The notes that hold on a hardware family: what they say, and of which dtypes."""
        names = {"all", "train" if hardware is Hardware.A910 else hardware.name.lower()}
        for note in filter(None, self.listed.hw_notes.split(";")):
            where, _, what = note.partition(":")
            if names.intersection(where.split("+")):
                kind, _, dtypes = what.partition("=")
                yield kind, tuple(filter(None, dtypes.split("+")))


def _is_tested_only(api: str, kind: str) -> bool:
    """Whether the dtypes of an API's row say with what it was tested."""
    if api.startswith(_HOST_ONLY):
        return True
    parent, _, last = api.rpartition(".")
    if parent == "torch.nn":
        return last in _CONTAINERS
    return kind == "method" and parent.startswith("torch.nn.")


def _noted(limits: Dtypes, kind: str, dtypes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if kind == "only":
        return dict.fromkeys(limits, dtypes)
    if kind == "not":
        return {name: tuple(t for t in kinds if t not in dtypes) for name, kinds in limits.items()}
    return {name: (*kinds, *(t for t in dtypes if t not in kinds)) for name, kinds in limits.items()}
