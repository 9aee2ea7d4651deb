"""Additions to ``torch.distributed``."""

from .._implementation import hccl
from .._surface import publish

publish(__name__, hccl)
