"""Importing it makes torch's functions take the arguments of CUDA for those of the NPU."""

from gpu2ascend_simulator.transfer.installation import install as _install

from .._surface import explain_missing as _explain_missing
from .._version import FACTS as _FACTS
from .._version import VERSION as _VERSION

_install(_VERSION, tuple(_FACTS["names"]), _explain_missing)
