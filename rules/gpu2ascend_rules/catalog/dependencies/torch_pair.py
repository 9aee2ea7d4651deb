"""NPU1101: the releases of torch, torch_npu, torchvision and torchaudio that are installed together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.pairs import PACKAGES, Pair, builds, pair_of
from ...kinds.packages.places import Requirement
from ...kinds.packages.releases import (
    Fit,
    fit_of,
    holds_on_ascend,
    is_cuda_build,
    written_entry,
    written_release,
)
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...model.versions import Version
from .containers import surest_in
from .environment import (
    Demand,
    brings_torch,
    contradiction,
    is_for_another_accelerator,
    is_list_of_constraints,
    needs_no_npu,
)

_ENDED = {"torchtext": ("0.18", Version(2, 3))}
"""The last release of what is no more developed, and the version of torch that it is built for."""
_OF_COMMANDS = frozenset({"shell", "makefile", "justfile", "dockerfile", "workflow"})
_NEXT_COMMAND = re.compile(r"[;&|]|(?<!\\)\n")


class TorchPair(Rule):
    """A dependency list asks for torch without torch_npu, or for a CUDA build.

    What it does: Pins torch, torchvision and torchaudio to the releases for the chosen version, and adds
    torch-npu after torch, or after what brings torch where no list names it. If this list, or another one
    that is installed together with it (in the same folder, in a folder above, or named by ``-r`` and
    ``-c``), excludes these releases, the change is an unsafe fix. Reports torchtext, which ended with an
    older torch.

    Why it matters on the NPU: Each build of torch_npu works with exactly one release of torch. A version
    range may install another release, and a CUDA build brings its own accelerator.

    Example: ``torch==2.8.0+cu126`` becomes ``torch==2.8.0`` and ``torch-npu==2.8.0.post5``.

    Use instead: the releases that the message names; torch's CPU builds are at
    https://download.pytorch.org/whl/cpu.
    """

    code = "NPU1101"
    words = ("torch",)
    example_path = "requirements.txt"
    examples = (
        Example(
            "torch>=1.7  # the framework\ntorchvision>=0.8\nnumpy\n",
            "torch==2.8.0  # the framework\ntorch-npu==2.8.0.post5\ntorchvision==0.23.0\nnumpy\n",
        ),
        Example(
            "torch==2.8.0+cu126\ntorchaudio==2.8.0+cu126\n",
            "torch==2.8.0\ntorch-npu==2.8.0.post5\ntorchaudio==2.8.0\n",
        ),
        Example("torchaudio\nnumpy\n", "torchaudio==2.8.0\ntorch-npu==2.8.0.post5\nnumpy\n"),
        Example("torch==1.7.1\n", unsafe="torch==2.8.0\ntorch-npu==2.8.0.post5\n"),
        Example(
            '[project]\ndependencies = [\n    "torch>=2.0",  # the framework\n    "numpy"\n]\n',
            '[project]\ndependencies = [\n    "torch==2.8.0",  # the framework\n'
            '    "torch-npu==2.8.0.post5",\n    "numpy"\n]\n',
            path="pyproject.toml",
        ),
        Example(
            '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.1"\n',
            '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "2.8.0"\ntorch-npu = "2.8.0.post5"\n',
            path="pyproject.toml",
        ),
        Example(
            '[packages]\ntorch = "*"\ntorchvision = ">=0.8"\n',
            '[packages]\ntorch = "==2.8.0"\ntorch-npu = "==2.8.0.post5"\ntorchvision = "==0.23.0"\n',
            path="Pipfile",
        ),
        Example(
            "[options]\ninstall_requires =\n    torch >= 1.7\n    numpy\n",
            "[options]\ninstall_requires =\n    torch ==2.8.0\n    torch-npu==2.8.0.post5\n    numpy\n",
            path="setup.cfg",
        ),
        Example(
            "pip install 'torch==2.8.0+cu126' torchvision numpy\necho pip install torch\n",
            "pip install 'torch==2.8.0' torch-npu==2.8.0.post5 torchvision==0.23.0 numpy\n"
            "echo pip install torch\n",
            path="install.sh",
        ),
        Example(
            "FROM a\nRUN pip install \\\n    torch numpy\n",
            "FROM a\nRUN pip install \\\n    torch==2.8.0 torch-npu==2.8.0.post5 numpy\n",
            path="Dockerfile",
        ),
        Example(
            "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN pip install torch\n",
            unsafe="FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n"
            "RUN pip install torch==2.8.0 torch-npu==2.8.0.post5\n",
            path="Dockerfile",
        ),
        Example(
            "FROM a\nRUN pip install torch --index-url $INDEX\n",
            unsafe="FROM a\nRUN pip install torch==2.8.0 torch-npu==2.8.0.post5 --index-url $INDEX\n",
            path="Dockerfile",
        ),
        Example('RUN ["pip", "install", "torch"]\n', path="Dockerfile"),
        Example("pip install torch==$VERSION\nconda install pytorch\n", path="install.sh"),
        Example(
            "name: e\ndependencies:\n  - python=3.6\n  - pip:\n      - torch==2.8.0\n"
            "      - torch-npu==2.8.0.post5\n",
            path="environment.yml",
        ),
        Example(
            "pip install torch==1.9.1+cu111 torchaudio\npip install torchvision\n",
            "pip install torch==1.9.1+cu111 torchaudio\npip install torchvision==0.23.0\n",
            unsafe="pip install torch==2.8.0 torch-npu==2.8.0.post5 torchaudio==2.8.0\n"
            "pip install torchvision==0.23.0\n",
            path="install.sh",
        ),
        Example("torch @ https://example.com/torch-2.8.0.whl\n"),
        Example("torch @ https://example.com/torch-2.8.0%2Bcu126-cp310-cp310-linux_x86_64.whl\n"),
        Example("torch==1.11.0\n", version="1.11.0"),
        Example("torch>=2; python_version < '3.9'\ntorch>=2.1; python_version >= '3.9'\n"),
        Example("torch==2.8.0\ntorch-npu==2.1.0\n", unsafe="torch==2.8.0\ntorch-npu==2.8.0.post5\n"),
        Example(
            "torch==2.9.0\ntorch-npu==2.9.0.post6\n",
            unsafe="torch==2.9.0\ntorch-npu==2.9.0.post9\n",
            version="2.9.0",
        ),
        Example("pytorch==0.4.1\ntorchvision\nopencv3\n"),
        Example("numpy=1.21=py38_0\npytorch=1.10=py3.8_cuda11.3\n"),
        Example("torchtext==0.14.0\n"),
        Example(
            "torchvision\nnumpy  # below 2, as pytorch wants it\n",
            "torchvision==0.23.0\ntorch-npu==2.8.0.post5\nnumpy  # below 2, as pytorch wants it\n",
        ),
        Example.unchanged("torchtext==0.15.2\n", version="2.1.0"),
        Example.unchanged("pip install neuronx-cc torch-neuronx torchvision\n", path="install.sh"),
        Example.unchanged(
            "# torch>=1.7\ntorch==2.8.0\ntorch-npu==2.8.0.post5\ntorchmetrics\n"
            "torch>=2; sys_platform == 'darwin'\n"
        ),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        if place.name == "python":
            yield from self._python(place, ctx)
        last, of_torch = _ENDED.get(place.name, ("", ctx.version))
        if of_torch[:2] < ctx.version[:2] and holds_on_ascend(place.marker):
            yield self.report(
                place, "ended", Severity.ERROR,
                package=place.name, release=last, other=str(of_torch), version=str(ctx.version),
            )  # fmt: skip
        if place.name not in PACKAGES or not holds_on_ascend(place.marker):
            return
        if is_for_another_accelerator(ctx):
            return
        pair = pair_of(ctx.version)
        release = pair.release_of(place.name)
        entry = ctx.file.slice(place.start, place.end)
        if not release:
            key = "off_index" if place.name == "torch-npu" else "no_release"
            yield self.report(place, key, Severity.INFORMATION, package=place.name, version=str(ctx.version))
            return
        if place.name == "torch-npu":
            yield from self._torch_npu(place, pair, entry, ctx)
            return
        if needs_no_npu(ctx.file.path) and not is_cuda_build(place):
            return
        if not pair.torch_npu:
            if place.name == "torch":
                yield self.report(
                    place, "off_index", Severity.INFORMATION, package="torch-npu", version=pair.torch
                )
            return
        yield from self._of_pair(place, release, pair.torch_npu, entry, ctx)

    def _python(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        """The release of Python that an environment for torch has."""
        torch_npu = pair_of(ctx.version).torch_npu
        pythons = next((build.pythons for build in builds() if build.torch_npu == torch_npu), ())
        fits = [fit_of(place, f"{python}.0") for python in pythons]
        if fits and all(fit is Fit.EXCLUDED for fit in fits) and "torch" in _names(ctx):
            yield self.report(
                place, "python", Severity.ERROR,
                entry=ctx.file.slice(place.start, place.end), torch_npu=torch_npu, known=", ".join(pythons),
            )  # fmt: skip

    def _of_pair(
        self, place: Requirement, release: str, torch_npu: str, entry: str, ctx: PlaceContext
    ) -> Iterator[Finding]:
        fit = fit_of(place, release)
        is_beside_missing = _lacks_torch_npu(ctx) and brings_torch(place, ctx)
        if fit is Fit.EXACT and not is_beside_missing:
            return
        edits = [] if fit is Fit.EXACT else _pinned(place, release)
        if is_beside_missing:
            edits = _joined([*edits, *_added(place, torch_npu)])
        fix = self._fix(place, fit, edits, ctx)
        if fit is Fit.EXACT and fix is None:
            yield self.report(place, "beside", Severity.WARNING, torch_npu=torch_npu)
            return
        key = {Fit.EXACT: "beside", Fit.ALLOWED: "pinned", Fit.EXCLUDED: "excluded"}.get(fit, "unreadable")
        severity = Severity.ERROR if is_cuda_build(place) or fit is Fit.EXCLUDED else Severity.WARNING
        demand = _contradiction(ctx) or _in_command(place, ctx)
        if demand is not None and fit is Fit.ALLOWED:
            key = "apart"
        yield self.report(
            place, key, severity, fix=fix,
            entry=entry, package=place.name, release=release, torch_npu=torch_npu, version=str(ctx.version),
            other=demand.entry if demand is not None else "", path=demand.path if demand is not None else "",
        )  # fmt: skip

    def _fix(self, place: Requirement, fit: Fit, edits: list[Edit], ctx: PlaceContext) -> Fix | None:
        if not edits or not place.is_plain or fit is Fit.UNREADABLE or _is_several(place, ctx):
            return None
        if place.insertion is None and _lacks_torch_npu(ctx) and brings_torch(place, ctx):
            return None
        demand = _contradiction(ctx) or _in_command(place, ctx)
        is_apart = fit is Fit.EXCLUDED or demand is not None
        applicability = Applicability.UNSAFE if is_apart else surest_in(ctx)
        return self.fix(applicability, edits=edits)

    def _torch_npu(self, place: Requirement, pair: Pair, entry: str, ctx: PlaceContext) -> Iterator[Finding]:
        base, release = str(ctx.version), pair.torch_npu
        if not place.versions or fit_of(place, release) in (Fit.EXACT, Fit.ALLOWED):
            return
        fix = self.fix(Applicability.UNSAFE, edits=_pinned(place, release)) if place.is_plain else None
        if any(build.torch == base and fit_of(place, build.torch_npu) is Fit.EXACT for build in builds()):
            yield self.report(place, "older", Severity.WARNING, fix=fix, entry=entry, torch_npu=release)
            return
        # The message names two packages: the release beside that of torch-npu is torch's.
        yield self.report(
            place, "excluded", Severity.ERROR, fix=fix,
            entry=entry, package="torch", release=pair.torch, torch_npu=release, version=base,
        )  # fmt: skip


def _pinned(place: Requirement, release: str) -> list[Edit]:
    return [Edit(*place.versions_at, written_release(release, place.style))]


def _added(place: Requirement, torch_npu: str) -> list[Edit]:
    if place.insertion is None:
        return []
    entry = written_entry("torch-npu", torch_npu, place.style, place.marker)
    return [
        Edit(place.insertion.at, place.insertion.at, place.insertion.before + entry + place.insertion.after)
    ]


def _joined(edits: list[Edit]) -> list[Edit]:
    """Two edits that meet as one: the release and the entry behind it may both be inserted at one place."""
    if len(edits) == 2 and edits[0].end == edits[1].start:
        return [Edit(edits[0].start, edits[1].end, edits[0].text + edits[1].text)]
    return edits


def _names(ctx: PlaceContext) -> tuple[str, ...]:
    """The packages that the file asks for, each as often as it does for machines with NPUs."""

    def names() -> tuple[str, ...]:
        places = (place for place in ctx.file.places() if isinstance(place, Requirement))
        return tuple(place.name for place in places if holds_on_ascend(place.marker))

    return ctx.once("names", names)


def _lacks_torch_npu(ctx: PlaceContext) -> bool:
    """Whether torch-npu is to be added: a file of constraints installs nothing."""
    return "torch-npu" not in _names(ctx) and not is_list_of_constraints(ctx.file.path)


def _contradiction(ctx: PlaceContext) -> Demand | None:
    """What keeps the release of the version from being installed: it is a person's to decide on the range."""

    def found() -> Demand | None:
        return contradiction(ctx.project, ctx.file.path, ctx.version, ctx.file.text)

    return ctx.once("contradiction", found)


def _in_command(place: Requirement, ctx: PlaceContext) -> Demand | None:
    """The torch of the same command that excludes the release: its companions wait for that decision."""
    if ctx.file.kind.name not in _OF_COMMANDS:
        return None
    release = pair_of(ctx.version).torch
    for other in ctx.file.places():
        if isinstance(other, Requirement) and other.name == "torch" and other.start != place.start:
            first, last = sorted((other, place), key=lambda item: item.start)
            is_one = _NEXT_COMMAND.search(ctx.file.slice(first.end, last.start)) is None
            if is_one and fit_of(other, release) is Fit.EXCLUDED:
                return Demand(ctx.file.path, f"{other.name}{other.shown_versions}")
    return None


def _is_several(place: Requirement, ctx: PlaceContext) -> bool:
    """Whether it depends on a condition which of several entries counts."""

    def conditions() -> frozenset[str]:
        places = (place for place in ctx.file.places() if isinstance(place, Requirement))
        return frozenset(place.name for place in places if place.marker and holds_on_ascend(place.marker))

    return _names(ctx).count(place.name) > 1 and place.name in ctx.once("conditions", conditions)
