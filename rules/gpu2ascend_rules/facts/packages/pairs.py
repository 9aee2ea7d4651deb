"""Which builds of torch_npu, torchvision and torchaudio belong to a release of torch."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.versions import Version


class Build(NamedTuple):
    """A build of torch_npu."""

    torch_npu: str
    release: str
    """Of the product that it is part of, such as ``26.0.0``; empty where that is not stated publicly."""
    torch: str
    cann: str
    """The CANN that it was made for; empty where that is not stated publicly."""
    pythons: tuple[str, ...]
    """Of its wheels; empty where that is not stated publicly."""
    is_on_index: bool
    """Whether the public package index has it; older ones come from the vendor's site."""


class Pair(NamedTuple):
    """What is installed together for a version. An empty release: there is none."""

    torch: str
    torch_npu: str
    """The newest build on the index: the one whose names and operators the tables have."""
    torchvision: str
    torchaudio: str
    cann: str
    """The newest CANN that is documented for a build of this torch; empty where none is."""
    documented: str
    """The build that it is documented for: the newest one, or an older one."""

    def release_of(self, package: str) -> str:
        """The release of a package of the pair. Raises KeyError: the pair has no such package."""
        return dict(
            zip(PACKAGES, (self.torch, self.torch_npu, self.torchvision, self.torchaudio), strict=True)
        )[package]


PACKAGES = ("torch", "torch-npu", "torchvision", "torchaudio")


@cache
def builds() -> tuple[Build, ...]:
    """Every known build of torch_npu, the newest first."""
    return tuple(
        Build(
            row["torch_npu"],
            row["release"],
            row["torch"],
            row["cann"],
            tuple(row["python"].split(",")) if row["python"] else (),
            row["on_pypi"] == "yes",
        )
        for row in load_tsv("torch_npu_builds")
    )


@lru_cache(maxsize=32)
def pair_of(version: Version) -> Pair:
    """What is installed together for a version of torch."""
    torch = str(version)
    mine = [build for build in builds() if build.torch == torch and build.is_on_index]
    chosen = next(iter(mine), None)
    documented = next((build for build in mine if build.cann), None)
    companions = next((row for row in load_tsv("torch_companions") if row["torch"] == torch), {})
    return Pair(
        torch,
        chosen.torch_npu if chosen is not None else "",
        companions.get("torchvision", ""),
        companions.get("torchaudio", ""),
        documented.cann if documented is not None else "",
        documented.torch_npu if documented is not None else "",
    )


@lru_cache(maxsize=64)
def build_with(name: str, version: Version) -> str:
    """The build of torch_npu since which a version of torch has a name or ``torch.ops.aten`` operator.

    Empty where every build that has a documented CANN has it, or none has.
    """
    torch = str(version)
    rows = (row for row in load_tsv("npu_since") if row["torch"] == torch and row["name"] == name)
    return next((row["build"] for row in rows), "")
