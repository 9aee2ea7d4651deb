"""Where a text ends up.

The same four letters are a device in ``torch.device('cuda')``, a test in ``device.type == 'cuda'``, an
option's value, a key, an attribute's name, a word of a message, and another framework's device. One tracer
(:mod:`.tracing`) follows a literal from its expression to everything that uses it, through calls, options,
variables, attributes, dictionaries and comparisons. What it follows, and which places use it, a table states:
one for each subject (:mod:`.subjects`). Within one file the uses come to one :class:`Role`
(:mod:`.word_flow`); what the file does not show is :attr:`Role.UNKNOWN`, and a person decides. Over the files
of a project, :mod:`..program` decides about words that must change together.
"""

from __future__ import annotations

from .subjects.devices import device_flow
from .verdicts import Role, Verdict
from .word_flow import SubjectFlow, flow_of

__all__ = ["Role", "SubjectFlow", "Verdict", "device_flow", "flow_of"]
