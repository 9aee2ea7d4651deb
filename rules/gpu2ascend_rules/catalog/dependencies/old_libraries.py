"""NPU1108: releases of libraries from before they knew the NPU. The first that does is in third_party.tsv."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.third_party import verdict_of_package
from ...kinds.packages.places import Requirement
from ...kinds.packages.releases import ends_before, holds_on_ascend
from ...model.finding import Finding, Severity

_CHOOSE = ("accelerate", "deepspeed", "mmcv", "mmcv-full", "mmengine", "transformers", "ultralytics")
"""Libraries that choose the device of a training themselves."""


class OldLibrary(Rule):
    """A dependency list pins a library from before it knew the NPU.

    What it does: Compares the releases that a list allows of libraries that choose the device themselves
    with the first one that looks for the NPU, and reports a list that excludes it and all later ones.

    Why it matters on the NPU: An older release looks for CUDA only: it trains on the CPU without a word, or
    raises.

    Example: ``transformers==4.27.1``.

    Use instead: the release that the message names, or a newer one.
    """

    code = "NPU1108"
    words = _CHOOSE
    example_path = "requirements.txt"
    examples = (
        Example("transformers==4.27.1\naccelerate<0.20\n"),
        Example("mmcv-full==1.4.0\n"),
        Example('[project]\ndependencies = ["deepspeed~=0.9.2"]\n', path="pyproject.toml"),
        Example.unchanged(
            "transformers>=4.27\naccelerate\ndeepspeed==0.14.4\ntransformers<5\nmmcv-full==1.7.2\n"
        ),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        if place.name not in _CHOOSE or not holds_on_ascend(place.marker):
            return
        verdict = verdict_of_package(place.name)
        first = verdict.works_from if verdict is not None else ""
        if first and ends_before(place, first):
            severity = Severity.INFORMATION if place.is_optional else Severity.ERROR
            versions = place.versions.strip()
            yield self.report(place, "old", severity, package=place.name, versions=versions, first=first)
