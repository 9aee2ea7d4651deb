"""The families of Ascend devices, and the names by which they are known."""

from __future__ import annotations

import enum
import re

from .versions import NEWEST, SUPPORTED_VERSIONS, Version


class Hardware(enum.Enum):
    """A family of Ascend devices, as the official support tables split them."""

    A2 = "A2"
    A3 = "A3"
    DT950 = "950DT"
    A910 = "910A"
    """The Atlas training series, which no list has by itself: what A2 lacks it lacks, too."""

    @property
    def has_lists(self) -> bool:
        """Whether the support lists say what works on it."""
        return self is not Hardware.A910

    @property
    def shown(self) -> str:
        """The family as a finding on support names it, with what the lists do not cover."""
        return self.value if self.has_lists else f"{self.value} (no list covers it; A2 is what is listed)"


_NAMES = {
    Hardware.A2: r"a2|910b(?:[1-4]c?(?:1)?)?|(?:800t?|900|300t|200t|800i)?a2(?:box16|pod|server)?",
    Hardware.A3: r"a3|910c|91093\d{0,2}|(?:900|800t?|a200t|800i)?a3(?:superpod|box8|server)?",
    Hardware.DT950: r"(?:950(?:dt|pr)?|91095)(?:\d+\w?)?|a5|[38]50",
    Hardware.A910: r"910a|910pro[ab]?|910premiuma|800\(?9000\)?|800\(?9010\)?|300tpro",
}
"""What ``npu-smi info``, CANN (``Ascend910B3``, ``Ascend910_9391``) and the servers' own names
(``Atlas 800T A2``, ``Atlas 350``) call a device, in lower case without spaces, hyphens and underscores."""
_FOR_INFERENCE = r"310[bp]?\d?|300[iv](?:pro|duo)?|200i?(?:dk)?(?:a2)?"
_FILLING = re.compile(r"[\s_-]|ascend|atlas|trainingseries|series")
LAST_ON_910A = Version(2, 1)
"""The last version whose torch_npu is for the Atlas training series."""


def hardware_named(text: str) -> Hardware | None:
    """The family of a device or server; None for a name that is ambiguous (``910``) or unknown."""
    name = _FILLING.sub("", text.strip().lower())
    return next((family for family, names in _NAMES.items() if re.fullmatch(names, name)), None)


def is_for_inference(text: str) -> bool:
    """Whether a name is that of a device on which torch_npu's training operators do not run."""
    return re.fullmatch(_FOR_INFERENCE, _FILLING.sub("", text.strip().lower())) is not None


def versions_on(hardware: Hardware) -> tuple[Version, ...]:
    """The supported versions that have releases for a family of devices, in order."""
    last = LAST_ON_910A if hardware is Hardware.A910 else NEWEST
    return tuple(version for version in SUPPORTED_VERSIONS if version <= last)
