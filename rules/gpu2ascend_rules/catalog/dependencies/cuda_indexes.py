"""NPU1102: where wheels are taken from that were built for CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.pairs import PACKAGES, pair_of
from ...kinds.packages.places import Index, Requirement
from ...kinds.packages.releases import Fit, fit_of, is_cuda_build
from ...kinds.shell.places import Command
from ...model.finding import Applicability, Edit, Finding, Severity
from .containers import surest_in

_OF_TORCH = re.compile(
    r"(?P<before>https?://[^/]*pytorch\.org/whl/(?:nightly/|test/)?)cu\d{2,3}(?P<after>/?)$"
)
_PAGE = re.compile(r"(?P<root>https?://[^/]*pytorch\.org/whl/)(?:cu\d{2,3}/)?torch_stable\.html$")
_CPU_BUILD = re.compile(r"\+cpu\b")
_CUDA = re.compile(r"(?<![a-z0-9])cu(?:da)?-?\d{2,3}(?![a-z0-9])|/whl/cu\$|\+\$\{?\w*cu(?:da)?\b", re.I)


class CudaIndexes(Rule):
    """A dependency list uses an index of CUDA wheels.

    What it does: Replaces PyTorch's CUDA index with its index of CPU builds, which torch_npu needs. Other
    sources of CUDA wheels are reported.

    Why it matters on the NPU: torch_npu needs torch's CPU build. CUDA builds install gigabytes of libraries
    that nothing on the NPU uses.

    Example: ``--extra-index-url https://download.pytorch.org/whl/cu118`` becomes ``--extra-index-url
    https://download.pytorch.org/whl/cpu``.

    Use instead: https://download.pytorch.org/whl/cpu.
    """

    code = "NPU1102"
    name = "cuda-index"
    words = ("/cu", "cuda", "CUDA", "torch_stable", "+cu")
    example_path = "requirements.txt"
    examples = (
        Example(
            "--extra-index-url https://download.pytorch.org/whl/cu118\n-f https://download.pytorch.org/whl/torch_stable.html\n",
            "--extra-index-url https://download.pytorch.org/whl/cpu\n"
            "--extra-index-url https://download.pytorch.org/whl/cpu\n",
        ),
        Example(
            "python -m pip install torch -i https://download.pytorch.org/whl/cu118 numpy\n",
            "python -m pip install torch --extra-index-url https://download.pytorch.org/whl/cpu numpy\n",
            path="install.sh",
        ),
        Example(
            "pip install torch==1.7.1+cu110 --index-url=https://download.pytorch.org/whl/cu110\n",
            unsafe="pip install torch==1.7.1+cu110 --extra-index-url https://download.pytorch.org/whl/cpu\n",
            path="install.sh",
        ),
        Example(
            "pip install numpy --index-url https://download.pytorch.org/whl/cu${CUDA}\n", path="install.sh"
        ),
        Example("-f https://data.pyg.org/whl/torch-2.0.0+cu117.html\n"),
        Example(
            "pip install torch-scatter -f https://data.pyg.org/whl/torch-2.0.0+${CUDA}.html\n", path="a.sh"
        ),
        Example.unchanged("--extra-index-url https://download.pytorch.org/whl/cpu\n# see /whl/cu118\n"),
        Example.unchanged("torch==1.13.1+cpu\n-f https://download.pytorch.org/whl/torch_stable.html\n"),
    )

    @on.place(Index)
    def taken(self, place: Index, ctx: PlaceContext) -> Iterator[Finding]:
        edit = _edit(place)
        if edit is not None and _PAGE.match(place.url) is not None and _asks_for_cpu(ctx):
            return  # the page has builds of both kinds
        if edit is not None:
            applicability = Applicability.UNSAFE if _has_wanted_builds(ctx) else surest_in(ctx)
            fix = self.fix(applicability, edits=[edit])
            yield self.report(place, "torch", Severity.WARNING, fix=fix, url=place.url)
        elif _CUDA.search(place.url) is not None:
            yield self.report(place, "other", Severity.WARNING, url=place.url)


def _asks_for_cpu(ctx: PlaceContext) -> bool:
    """Whether the file pins builds for the CPU alone: ``torch==1.13.1+cpu``."""
    places = (place for place in ctx.file.places() if isinstance(place, Requirement))
    builds = [place.versions for place in places if place.name in PACKAGES and place.name != "torch-npu"]
    return bool(builds) and all(_CPU_BUILD.search(versions) is not None for versions in builds)


def _has_wanted_builds(ctx: PlaceContext) -> bool:
    """Whether commands ask for a build for CUDA that another index does not have, and that stays."""

    def found() -> bool:
        pair = pair_of(ctx.version)
        return Command in ctx.file.kind.places and any(
            isinstance(place, Requirement)
            and is_cuda_build(place)
            and not (
                place.name in PACKAGES
                and place.is_plain
                and fit_of(place, pair.release_of(place.name)) in (Fit.EXACT, Fit.ALLOWED)
            )
            for place in ctx.file.places()
        )

    return ctx.once("has wanted builds", found)


def _edit(place: Index) -> Edit | None:
    index, page = _OF_TORCH.match(place.url), _PAGE.match(place.url)
    if page is not None and place.flag in ("-f", "--find-links"):
        return Edit(place.flag_start, place.end, f"--extra-index-url {page['root']}cpu")
    if index is None:
        return None
    url = f"{index['before']}cpu{index['after']}"
    if place.flag in ("-i", "--index-url", "-f", "--find-links"):
        return Edit(place.flag_start, place.end, f"--extra-index-url {url}")
    return Edit(place.start, place.end, url)
