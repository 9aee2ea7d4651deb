"""NPU1103: packages that need CUDA. The facts are in third_party.tsv."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.third_party import PACKAGE_WORDS, CudaPackage, cuda_package
from ...kinds.packages.places import InCommand, Requirement, Style
from ...kinds.packages.releases import holds_on_ascend, is_cuda_build
from ...kinds.packages.requirement import read_requirement
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from .containers import surest_in

_REASON = "  # needs CUDA"
_CUDA_EXTRA = re.compile(r"(?:gpu|cuda|cu)[\d_x]*$")
_SEVERITY = {
    "drop": Severity.WARNING, "build": Severity.ERROR,
    "replace": Severity.WARNING, "ask": Severity.INFORMATION,
}  # fmt: skip
_ANOTHER = ("tensorflow", "tf-", "paddle", "mxnet", "jax", "keras")
_FOLDER = re.compile(r"(?:^|/)(?:tensorflow|paddlepaddle|mxnet|jax)\d?/", re.I)
_OF_PAIR = ("torch", "torchvision", "torchaudio")


class CudaPackages(Rule):
    """A dependency list asks for a package that needs CUDA.

    What it does: Comments out packages that nothing on the NPU uses (``nvidia-*``, GPU monitors). If code
    that imports the package must change as well, the change is an unsafe fix, and so is the replacement of a
    package.

    Why it matters on the NPU: Packages built for CUDA cannot be installed, or fail when they are imported.

    Example: ``nvidia-ml-py`` becomes ``# nvidia-ml-py  # needs CUDA``.

    Use instead: what the message names.
    """

    code = "NPU1103"
    name = "cuda-package"
    words = tuple(PACKAGE_WORDS.split())
    example_path = "requirements.txt"
    examples = (
        Example("nvidia-ml-py>=12  # cards\n", "# nvidia-ml-py>=12  # cards  # needs CUDA\n"),
        Example("flash-attn==2.5.0\nnumpy\n", unsafe="# flash-attn==2.5.0  # needs CUDA\nnumpy\n"),
        Example("pip install -U nvidia-ml-py numpy\n", "pip install -U numpy\n", path="install.sh"),
        Example("pip install flash-attn numpy\n", unsafe="pip install numpy\n", path="install.sh"),
        Example("pip install nvidia-ml-py\nconda install cudatoolkit\n", path="install.sh"),
        Example("faiss-gpu==1.7.2\n", unsafe="faiss-cpu==1.7.2\n"),
        Example("tensorflow-gpu\nscipy\n", unsafe="tensorflow\nscipy\n"),
        Example("triton>=3.5\n"),
        Example("triton\n", unsafe="triton-ascend\n"),
        Example("bitsandbytes\n"),
        Example("mmcv-full>=1.7\n"),
        Example("torch-scatter==2.0.9+cu117\n"),
        Example("numba[cuda12]\n"),
        Example('[project.optional-dependencies]\nfast = ["flash-attn"]\n', path="pyproject.toml"),
        Example.unchanged("tensorflow>=2\npynvml\n"),
        Example.unchanged(
            "# flash-attn\ntritonclient\nnumpy\npynvml; sys_platform == 'win32'\ntorch-scatter==2.0.9\n"
        ),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        is_beside = _is_of_another_framework(ctx)
        if not holds_on_ascend(place.marker) or (is_beside and not place.name.startswith(_ANOTHER)):
            return
        package = cuda_package(place.name)
        if package is None:
            yield from self._build(place)
            return
        fix = self._fix(place, package, ctx)
        severity = Severity.INFORMATION if place.is_optional or is_beside else _SEVERITY[package.treatment]
        yield self.report(
            place, package.advice, severity, fix=fix,
            package=place.name, replacement=package.replacement,
        )  # fmt: skip

    def _build(self, place: Requirement) -> Iterator[Finding]:
        """A package that has builds for CUDA and others."""
        if is_cuda_build(place) and place.name not in _OF_PAIR:
            yield self.report(place, "built", Severity.ERROR, package=place.name)
        for extra in place.extras:
            if _CUDA_EXTRA.match(extra):
                yield self.report(place, "extra", Severity.INFORMATION, package=place.name, extra=extra)

    def _fix(self, place: Requirement, package: CudaPackage, ctx: PlaceContext) -> Fix | None:
        if package.treatment == "replace":
            is_free = not place.versions or package.advice == "same_name"
            if not place.is_plain or not is_free or place.style is Style.CONDA:
                return None
            return self.fix(
                Applicability.UNSAFE, edits=[Edit(place.start, place.name_end, package.replacement)]
            )
        edits = [] if package.treatment == "ask" else _without(place, ctx)
        if not edits or _is_named_elsewhere(place, ctx):
            return None
        safe = package.treatment == "drop"
        return self.fix(surest_in(ctx) if safe else Applicability.UNSAFE, edits=edits)


def _without(place: Requirement, ctx: PlaceContext) -> list[Edit]:
    """The edits that leave an entry out: a line becomes a comment, a word is taken out of its command.

    A command that would have nothing left to install stays, and so do comments between its words.
    """
    if place.line is not None:
        start, end = place.line
        return [Edit(start, start, "# "), Edit(end, end, _REASON)]
    command = place.command
    if command is None or b"#" in ctx.file.data[command.start : place.start]:
        return []
    has_others = ctx.once(("installs", command.of), lambda: _installs_others(command))
    return [Edit(command.start, command.end, "")] if has_others else []


def _installs_others(command: InCommand) -> bool:
    """Whether a command installs anything that is not for CUDA."""
    return any(cuda_package(_name_of(word)) is None for word in command.installs)


def _name_of(word: str) -> str:
    """The package that a word of a command asks for."""
    written = read_requirement(word)
    return written.name if written is not None else word


def _is_of_another_framework(ctx: PlaceContext) -> bool:
    """Whether the file is for TensorFlow, Paddle, MXNet or JAX and not for torch: that stays on GPUs."""

    def asks_for_another() -> bool:
        names = {place.name for place in ctx.file.places() if isinstance(place, Requirement)}
        another = any(name.startswith(_ANOTHER) for name in names) or _FOLDER.search(ctx.file.path)
        return bool(another) and not any(name.startswith(("torch", "pytorch")) for name in names)

    return ctx.once("another framework", asks_for_another)


def _is_named_elsewhere(place: Requirement, ctx: PlaceContext) -> bool:
    """Whether Poetry's extras name the package: it refuses one that is not among the dependencies."""
    if place.style is not Style.POETRY:
        return False
    text = ctx.file.text.lower().replace("_", "-")
    return f'"{place.name}"' in text or f"'{place.name}'" in text
