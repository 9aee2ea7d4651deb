"""Utilities: none is simulated."""

from .._surface import publish

publish(__name__)
