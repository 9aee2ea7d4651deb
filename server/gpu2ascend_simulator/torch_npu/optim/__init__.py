"""Fused optimizers."""

from .._implementation import optimizers
from .._surface import publish

publish(__name__, optimizers)
