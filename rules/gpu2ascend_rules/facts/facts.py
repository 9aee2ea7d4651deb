"""The one door to the tables: what is known for one PyTorch version on one Ascend hardware family.

Most checks ask only for names, and others only for the status of an API: what reads the tables of names, and
what reads the support lists, the big tables, is imported when first needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..model.hardware import LAST_ON_910A, Hardware
from ..model.versions import SUPPORTED_VERSIONS, Version
from .statuses import SupportStatus

if TYPE_CHECKING:
    from .api_support import Kernels
    from .names.npu_names import Counterpart
    from .packed.rows import SupportRow


class Facts:
    """What is known for one version on one hardware family.

    Names are fully qualified (``torch.nn.functional.pad``). A name that the tables do not have is unknown,
    never an error.
    """

    def __init__(self, version: Version, hardware: Hardware) -> None:
        """See :meth:`load`, which every caller but a test should use."""
        if version not in SUPPORTED_VERSIONS:
            raise ValueError(f"no facts for PyTorch {version}")
        self.version = version
        self.hardware = hardware

    @classmethod
    def load(cls, version: Version, hardware: Hardware) -> Facts:
        """The facts for a version and hardware; the same object every time. Tables are read when asked.
        Raises ValueError: the version is not a supported one."""
        return _load(version, hardware)

    # --- names below torch_npu and torch.npu ---------------------------------------------------------

    def npu_counterpart(self, cuda_name: str) -> Counterpart | None:
        """What replaces a name below ``torch.cuda`` in this version's torch_npu.

        None when nothing does, or when the tables do not have the name (see :meth:`is_known_cuda_name`).
        A counterpart that is merely ``similar`` has another meaning: no rename is safe.
        """
        from .names import npu_names

        return npu_names.counterpart(cuda_name, self.version)

    def is_known_cuda_name(self, name: str) -> bool:
        """Whether the tables have this name below ``torch.cuda``, whatever the version."""
        from .names import npu_names

        return npu_names.is_known_cuda_name(name)

    def npu_name_exists(self, name: str) -> bool:
        """Whether a name below ``torch_npu`` or ``torch.npu`` exists in this version."""
        from .names import npu_names

        return npu_names.exists(name, self.version)

    def first_version_with(self, npu_name: str) -> Version | None:
        """The oldest supported version in which an NPU name exists; None when it exists in none."""
        from .names import npu_names

        return npu_names.first_version_with(npu_name)

    def npu_names(self, module: str) -> tuple[str, ...]:
        """The public names directly below a module of torch_npu in this version, sorted."""
        from .names import npu_names

        return npu_names.public_names(module, self.version)

    def npu_kind(self, npu_name: str) -> str | None:
        """What an NPU name is: ``module``, ``class``, ``function``, ``method`` or ``attribute``."""
        from .names import npu_names

        return npu_names.kind(npu_name)

    @property
    def wheel(self) -> str | None:
        """The version of the torch_npu wheel whose names these are (``2.8.0.post5``).

        None where no package index has one: there the oldest wheel and the version's own list decide.
        """
        from .names import npu_names

        return npu_names.wheels().get(str(self.version))

    # --- support of PyTorch's APIs -------------------------------------------------------------------

    def status(self, api: str) -> SupportStatus:
        """How far an API works here.

        The version's support list decides. For an API that it does not have, an operator that torch_npu
        registers itself counts as supported; any other name is unknown.
        """
        return _status(api, self.version, self.hardware)

    def row(self, api: str) -> SupportRow | None:
        """What the version's support list says of an API, or None when it does not have it."""
        from . import api_support

        return api_support.listed(api, self.version)

    def has_kernel(self, api: str) -> bool:
        """Whether torch_npu registers its own kernel for the operator behind an API."""
        from . import api_support

        return api_support.is_registered(api, self.version)

    def kernels_behind(self, api: str) -> Kernels | None:
        """The kernels that torch_npu has for the operators that an API is made of; None when nothing shows
        what it is made of."""
        from . import api_support

        return api_support.kernels_behind(api, self.version)

    def listed_names(self, prefix: str) -> tuple[str, ...]:
        """The APIs that the version's support list has whose names start with a prefix, sorted."""
        from . import api_support

        return tuple(api_support.names_starting_with(prefix, self.version))

    def members_with(self, status: SupportStatus) -> tuple[str, ...]:
        """The methods and attributes that have a status here, of classes whose instances can be recognized;
        of unknown ones only the methods of tensors."""
        return _members_with(self.version, self.hardware, status)

    def matrix(self, api: str) -> Mapping[Version, SupportStatus]:
        """The status of an API in every supported version on this hardware, oldest first."""
        return {version: _status(api, version, self.hardware) for version in SUPPORTED_VERSIONS}


@cache
def _load(version: Version, hardware: Hardware) -> Facts:
    return Facts(version, hardware)


def _status(api: str, version: Version, hardware: Hardware) -> SupportStatus:
    from . import api_support

    if hardware is Hardware.A910 and version > LAST_ON_910A:
        return SupportStatus.UNKNOWN
    row = api_support.listed(api, version)
    if row is not None:
        return row.status_on(hardware)
    if api_support.is_registered(api, version):
        return SupportStatus.SUPPORTED
    return SupportStatus.UNKNOWN


@cache
def _members_with(version: Version, hardware: Hardware, status: SupportStatus) -> tuple[str, ...]:
    from . import api_support

    if status is SupportStatus.UNKNOWN:
        return api_support.unlisted_tensor_methods(version)
    return api_support.members_with(status, version, hardware)
