"""Where a text ends up.

The same four letters are a device in ``torch.device('cuda')``, a test in ``device.type == 'cuda'``, an
option's value, a key, an attribute's name, a word of a message, and another framework's device. One climber
(:mod:`.climb`) follows a string literal from its expression outwards, through calls, options, variables,
dictionaries and comparisons, until something decides its :class:`Role`. What it follows, and which places use
it, a table states: one for each subject (:mod:`.subjects`). Everything is local to one file; what the file
does not show is :attr:`Role.UNKNOWN`, and a person decides.
"""

from __future__ import annotations

from .subjects.devices import device_flow
from .verdicts import Role, Verdict
from .word_flow import SubjectFlow, flow_of

__all__ = ["Role", "SubjectFlow", "Verdict", "device_flow", "flow_of"]
