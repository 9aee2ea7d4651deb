"""Where a text that names a CUDA device ends up.

The same four letters are a device in ``torch.device('cuda')``, a test in ``device.type == 'cuda'``, an
option's value, a key, an attribute's name, a word of a message, and another framework's device. A
string literal is followed from its expression outwards (:mod:`.devices.climber`), through calls
(:mod:`.devices.calls`), variables (:mod:`.devices.variables`), dictionaries (:mod:`.devices.tables`) and
comparisons (:mod:`.devices.comparisons`), until something decides its :class:`Role`. Everything is local to
one file; what the file does not tell is :attr:`Role.UNKNOWN`, and a person is asked.
"""

from __future__ import annotations

from .devices.device_flow import DeviceFlow, device_flow
from .devices.roles import Role, Verdict

__all__ = ["DeviceFlow", "Role", "Verdict", "device_flow"]
