"""Checks in which no word decides whether a rule is asked."""

from __future__ import annotations

import pytest

from gpu2ascend_rules import checking as door
from gpu2ascend_rules.engine.places import scan
from gpu2ascend_rules.kinds.kind import KindFile


def ask_every_rule(patch: pytest.MonkeyPatch) -> None:
    """Make checks ask each rule about each place, whatever words it waits for."""
    patch.setattr(door, "may_matter", lambda *_: True)
    patch.setattr(scan, "may_concern_kind", lambda *_: True)
    patch.setattr(scan._Chosen, "words_in", lambda chosen, _: tuple(chosen.words))
    patch.setattr(KindFile, "places_about", lambda file, _: file.places())
    for kind in KindFile.__subclasses__():
        _unfilter(kind, patch)


def _unfilter(kind: type[KindFile], patch: pytest.MonkeyPatch) -> None:
    if "places_about" in vars(kind):
        patch.setattr(kind, "places_about", lambda file, _: file.places())
    for child in kind.__subclasses__():
        _unfilter(child, patch)
