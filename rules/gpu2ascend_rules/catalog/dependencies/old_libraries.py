"""NPU1108: releases of libraries from before they knew the NPU. The first that does is in third_party.tsv."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef
from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.third_party import verdict_of_package
from ...kinds.packages.places import Requirement
from ...kinds.packages.releases import ends_before, holds_on_ascend
from ...model.finding import Finding, Severity
from .setup_scripts import lists_given, requirement_of

_ON_OPERATORS = "torch-geometric"
"""The library that ran on operators of its own for CUDA before."""
_CHOOSE = ("accelerate", "deepspeed", "mmcv", "mmcv-full", "mmengine", "transformers", "ultralytics")
"""Libraries that choose the device of a training themselves."""
_OF_TRAININGS = re.compile(
    r"^(?:\w*transformers|adapters|optimum\w*|trainer\w*|training_args\w*|pipelines)\."
    r"(?:\w*Trainer|\w*TrainingArguments|pipeline)$|\.Accelerator$|^(?:trl|setfit)\."
    r"|^(?:transformers|pipelines)\.\w*Pipeline$|^(?:accelerate|transformers)\.\*"
)
"""Names that choose the device of what they run, and libraries of which a file takes everything."""
_MODELS_TOO = "transformers"
"""The library that projects also take models alone from, which run wherever they are put."""


class OldLibrary(Rule):
    """A dependency list pins a library from before it knew the NPU.

    What it does: Compares the releases that a list allows of libraries that choose the device themselves
    with the first one that looks for the NPU, and reports a list that excludes it and all later ones. Of
    transformers that is information where the project takes models alone. Also reports torch_geometric from
    before it ran on torch's own operators.

    Why it matters on the NPU: An older release looks for CUDA only: it trains on the CPU without a word, or
    raises. Old torch_geometric needs torch_scatter and torch_sparse, which raise for tensors on the NPU.

    Example: ``transformers==4.27.1``.

    Use instead: the release that the message names, or a newer one.
    """

    code = "NPU1108"
    words = (*_CHOOSE, _ON_OPERATORS, "torch_geometric", "pyg")
    example_path = "requirements.txt"
    examples = (
        Example("transformers==4.27.1\naccelerate<0.20\n"),
        Example("mmcv-full==1.4.0\n"),
        Example("torch_geometric==1.7.2\n"),
        Example("name: a\ndependencies:\n  - pyg=2.0.4\n", path="environment.yml"),
        Example(
            "from setuptools import setup\nsetup(install_requires=['accelerate==0.12'],"
            " extras_require={'g': ['torch_geometric==2.0']})\n",
            path="setup.py",
        ),
        Example('[project]\ndependencies = ["deepspeed~=0.9.2"]\n', path="pyproject.toml"),
        Example.unchanged(
            "transformers>=4.27\naccelerate\ndeepspeed==0.14.4\ntransformers<5\nmmcv-full==1.7.2\n"
        ),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        yield from self._of(place, place, ctx, is_optional=place.is_optional)

    @on.keyword("install_requires", "extras_require")
    def installed(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        for item in (item for items in lists_given(ref, ctx) for item in items):
            place = requirement_of(item)
            if place is not None:
                yield from self._of(place, item, ctx, is_optional=ref.name == "extras_require")

    def _of(
        self, place: Requirement, at: Requirement | Node, ctx: Context | PlaceContext, *, is_optional: bool
    ) -> Iterator[Finding]:
        if place.name not in (*_CHOOSE, _ON_OPERATORS) or not holds_on_ascend(place.marker):
            return
        verdict = verdict_of_package(place.name)
        first = verdict.works_from if verdict is not None else ""
        if first and ends_before(place, first):
            takes_models = place.name == _MODELS_TOO and _takes_models_alone(ctx)
            key = "operators" if place.name == _ON_OPERATORS else "models" if takes_models else "old"
            yield self.report(
                at, key,
                Severity.INFORMATION if takes_models or is_optional else Severity.ERROR,
                package=place.name, versions=place.shown_versions, first=first,
            )  # fmt: skip


def _takes_models_alone(ctx: Context | PlaceContext) -> bool:
    """Whether the project imports names of the library, or is known to import none, and none that chooses a
    device: a list of all that was installed names it for others."""
    names = ctx.project.imported_names
    takes_any = any(name.startswith((f"{_MODELS_TOO}.", "modeling_")) for name in names)
    is_known = bool(names) and ctx.project.is_complete
    return (takes_any or is_known) and not any(_OF_TRAININGS.search(name) for name in names)
