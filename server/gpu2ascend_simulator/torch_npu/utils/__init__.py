"""Utilities: the stand-in has none."""

from .._surface import publish

publish(__name__)
