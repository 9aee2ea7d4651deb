"""NPU1107: where pip takes torch from where a list names no index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.pairs import pair_of
from ...kinds.packages.places import Index, Requirement, Style
from ...kinds.packages.releases import Fit, fit_of, holds_on_ascend
from ...kinds.shell.places import Command
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...model.versions import Version
from .containers import surest_in
from .environment import (
    brings_torch,
    contradiction,
    has_cpu_index,
    is_list_of_constraints,
    is_read_by_setup,
    names_cpu_index,
    needs_no_npu,
)

_FLAG = "--extra-index-url https://download.pytorch.org/whl/cpu"
_CUDA_ON_ARM = Version(2, 11, 0)
"""From here on torch's wheels for aarch64 on the package index need CUDA's libraries, too."""
_READS_LIST = re.compile(r"\s(?:-r|-c|--requirement|--constraint)\b")


class CpuIndex(Rule):
    """A dependency list installs torch from the package index, which has CUDA builds.

    What it does: Adds PyTorch's index of CPU builds before torch: once in a list, and in each command that
    installs torch. If the list has no place for an index, or a setup script may read the list and fail at an
    option of pip, it reports what to install.

    Why it matters on the NPU: The wheel of torch for x86-64 on the package index is a CUDA build; from
    PyTorch 2.11 on, so is the wheel for aarch64. torch-npu does not start with such a build. Its own wheels
    for x86-64 even require ``torch==2.8.0+cpu`` explicitly, which the package index does not have, so pip
    finds no solution. Given the choice between 2.8.0 and 2.8.0+cpu, pip installs the latter, even for
    ``torch==2.8.0``.

    Example: ``torch>=2`` becomes ``--extra-index-url https://download.pytorch.org/whl/cpu`` and ``torch>=2``.

    Use instead: ``pip install --extra-index-url https://download.pytorch.org/whl/cpu ...``.
    """

    code = "NPU1107"
    words = ("torch",)
    example_path = "requirements.txt"
    examples = (
        Example("numpy\ntorch>=1.7  # any\n", f"numpy\n{_FLAG}\ntorch>=1.7  # any\n"),
        Example(
            'name: env\ndependencies:\n  - python\n  - pip:\n      - "torch>=2"\n',
            f'name: env\ndependencies:\n  - python\n  - pip:\n      - "{_FLAG}"\n      - "torch>=2"\n',
            path="environment.yml",
        ),
        Example("pip install -U torch numpy\n", f"pip install -U {_FLAG} torch numpy\n", path="install.sh"),
        Example('[project]\ndependencies = ["torch>=2"]\n', path="pyproject.toml"),
        Example('[tool.poetry.dependencies]\ntorch = "^2.1"\n', path="pyproject.toml"),
        Example.unchanged(f"{_FLAG}\ntorch>=2\n# torch\ntorchmetrics\n"),
        Example.unchanged("torch>=2; platform_machine == 'aarch64'\n"),
        Example.unchanged("torch>=2; sys_platform == 'darwin'\n"),
        Example.unchanged("torch>=2\n", path="constraints.txt"),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        if place not in _without_index(ctx):
            return
        machine = "either" if ctx.version >= _CUDA_ON_ARM else "x86"
        fix = self._fix(place, ctx)
        key = f"{machine}_added" if fix is not None else f"{machine}_by_hand"
        severity = Severity.WARNING if fix is not None else Severity.INFORMATION
        yield self.report(place, key, severity, fix=fix, flag=_FLAG, version=str(ctx.version))

    def _fix(self, place: Requirement, ctx: PlaceContext) -> Fix | None:
        if place.command is not None:
            at = place.command.start
            return self.fix(surest_in(ctx), edits=[Edit(at, at, f" {_FLAG}")])
        if place.insertion is None or ctx.file.kind.name not in ("requirements", "yaml"):
            return None
        if is_read_by_setup(ctx.project, ctx.file.path):
            return None
        text = _FLAG + place.insertion.after + place.insertion.before
        return self.fix(Applicability.SAFE, edits=[Edit(place.start, place.start, text)])


_Span = tuple[int, int]


class _Installs(NamedTuple):
    """The commands of a file that install something, by their spans, and its first entries for which pip
    would take a wheel for CUDA: the one of its list, and that of each command."""

    commands: tuple[_Span, ...]
    first: tuple[tuple[_Span | None, Requirement], ...]


def _without_index(ctx: PlaceContext) -> frozenset[Requirement]:
    """The entries for which pip takes a wheel for CUDA."""

    def found() -> frozenset[Requirement]:
        installs = _installs(ctx)
        return frozenset(place for command, place in installs.first if not _has_index(command, installs, ctx))

    return ctx.once("torch without an index", found)


def _installs(ctx: PlaceContext) -> _Installs:
    commands: set[_Span] = set()
    first: dict[_Span | None, Requirement] = {}
    for command, place in _asked_in(ctx):
        if command is not None:
            commands.add(command)
        if command not in first and isinstance(place, Requirement) and _may_be_for_cuda(place, ctx):
            first[command] = place
    return _Installs(tuple(sorted(commands)), tuple(first.items()))


def _asked_in(ctx: PlaceContext) -> Iterator[tuple[_Span | None, Requirement | Index]]:
    """What a file asks pip for, with the command that it stands in."""
    around: list[_Span] = []
    for place in ctx.file.places():
        if isinstance(place, Command):
            around.append((place.start, place.end))
        elif isinstance(place, (Requirement, Index)):
            while around and around[-1][1] <= place.start:
                around.pop()
            yield (around[-1] if around else None), place


def _has_index(command: _Span | None, installs: _Installs, ctx: PlaceContext) -> bool:
    """Whether an index of PyTorch's own builds counts for an entry.

    One in a list is enough for all of it. A command takes its own, that of the lists that it reads, or one
    that the file sets for all commands, as the variable ``PIP_EXTRA_INDEX_URL`` does.
    """
    if Command not in ctx.file.kind.places:
        return _have_lists_index(ctx)
    if command is None:
        return names_cpu_index(ctx.file.text)
    written = ctx.file.slice(*command)
    if names_cpu_index(written) or ctx.once("index for all commands", lambda: _sets_index(installs, ctx)):
        return True
    reads = _READS_LIST.search(written) is not None
    return reads and _have_lists_index(ctx)


def _have_lists_index(ctx: PlaceContext) -> bool:
    def found() -> bool:
        return has_cpu_index(ctx.project, ctx.file.path, ctx.file.text)

    return ctx.once("index of lists", found)


def _sets_index(installs: _Installs, ctx: PlaceContext) -> bool:
    """Whether an index is named outside of the commands that install something."""
    at = 0
    for start, end in installs.commands:
        if names_cpu_index(ctx.file.slice(at, max(at, start))):
            return True
        at = max(at, end)
    return names_cpu_index(ctx.file.slice(at, len(ctx.file.data)))


def _may_be_for_cuda(place: Requirement, ctx: PlaceContext) -> bool:
    """Not what a person decides on first, nor a list that installs nothing."""
    pair = pair_of(ctx.version)
    machines = ("x86_64", "aarch64") if ctx.version >= _CUDA_ON_ARM else ("x86_64",)
    return (
        brings_torch(place, ctx)
        and place.style is not Style.CONDA
        and bool(pair.torch_npu)
        and fit_of(place, pair.release_of(place.name)) in (Fit.EXACT, Fit.ALLOWED)
        and holds_on_ascend(place.marker, machines)
        and not needs_no_npu(ctx.file.path)
        and not is_list_of_constraints(ctx.file.path)
        and not ctx.once("torch is contradicted", lambda: _is_contradicted(ctx))
    )


def _is_contradicted(ctx: PlaceContext) -> bool:
    return contradiction(ctx.project, ctx.file.path, ctx.version, ctx.file.text) is not None
