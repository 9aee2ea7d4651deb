"""ACC110 to ACC113, ACC117: what configurations, lists of dependencies, scripts and images need CUDA for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, on
from ...facts.packages.images import WORDS, is_cuda_image
from ...facts.packages.third_party import PACKAGE_WORDS, cuda_package
from ...facts.releases.neutral import FIRST
from ...flow.command_line.programs import program_in
from ...flow.settings.schemas import is_foreign_place, is_known_as, is_listed_with, is_read_as
from ...flow.settings.trainers import asks_lightning_for_gpus
from ...flow.subjects.backends import is_backend_name
from ...flow.words import is_device_name
from ...kinds.dockerfile.places import BaseImage
from ...kinds.packages.places import Requirement
from ...kinds.packages.releases import Fit, fit_of, holds_on_ascend, is_cuda_build
from ...kinds.settings import Setting
from ...kinds.shell.modules import cuda_modules
from ...kinds.shell.places import Command, Directive, Use, Variable, Word
from ...kinds.shell.schedulers import gpus_asked_for
from ...kinds.shell.summary import summarise
from ...kinds.shell.words import SCRIPT_SUFFIXES, options_of, variable_in
from ...model.finding import Finding, Severity
from ...model.versions import SUPPORTED_VERSIONS
from .neutral_rule import NeutralRule

_LIST = "requirements.txt"
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_DEVICE = re.compile(r"cuda(?::\d+)?")
_BACKEND = re.compile(r"(?:cpu:gloo,cuda:)?nccl")
_DEVICE_OPTION = re.compile(
    r"--?(?:\w+[-_])?(?:device(?:[-_]type)?|(?:dist(?:ributed)?|ddp)[-_]?backend|backend)"
)
_SEVERITY = {
    "drop": Severity.WARNING, "build": Severity.ERROR,
    "replace": Severity.WARNING, "ask": Severity.INFORMATION,
}  # fmt: skip


class NeutralSetting(NeutralRule):
    """A configuration value is a CUDA device or NCCL.

    What it does: Reports values such as ``device: "cuda:0"`` and ``backend: nccl``: an error if code of the
    project uses the value of the key, or if the key is named like a device or a back end. A configuration
    cannot ask for the machine's accelerator, so there is no fix. Lightning's ``accelerator: gpu`` is another.

    Why it matters on the NPU: The value overrides what the code asks torch for, and every other accelerator
    raises.

    Example: ``device: "cuda:0"``.

    Use instead: no value, so that the code chooses the device; or a word of the project's own, such as
    ``auto``, that the code replaces with the machine's accelerator.
    """

    code = "ACC110"
    name = "neutral-setting"
    words = ("cuda", "nccl", "accelerator")
    example_path = "config.yaml"
    examples = (
        Example("training:\n  device: 'cuda:0'\n"),
        Example("trainer:\n  accelerator: gpu\n  devices: 8\n"),
        Example.unchanged("trainer:\n  accelerator: auto\n  devices: 8\n"),
        Example.unchanged("trainer:\n  _target_: own.Trainer\n  accelerator: gpu\n"),
        Example('{"backend": "nccl"}\n', path="config.json"),
        Example("kind: cuda\n"),
        Example("services:\n  a:\n    environment: [DEVICE=cuda, NAME=a]\n", path="compose.yaml"),
        Example.unchanged("devices: [cuda, cpu, xpu]\nname: cuda_kernels\ndevice: cpu\n"),
    )

    @on.place(Setting)
    def set_to(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        place = place.named
        if asks_lightning_for_gpus(place, ctx):
            yield self.report(place, "lightning_fixed", Severity.ERROR, setting=place.key, value=place.value)
            return
        is_device = _DEVICE.fullmatch(place.value) is not None
        subject = "device" if is_device else "backend"
        others = ("xpu", "mps", "npu", "hpu", "gloo")
        if not is_device and _BACKEND.fullmatch(place.value) is None:
            return
        if any(is_listed_with(other, place, ctx) for other in others):
            return
        is_used = is_read_as(subject, place, ctx) or is_known_as(subject, place, ctx)
        is_named = is_device_name(place.key) if is_device else is_backend_name(place.key)
        is_certain = (is_used or is_named) and not is_foreign_place(ctx)
        key = f"{subject}_fixed" if is_certain else "unknown"
        severity = Severity.ERROR if is_certain else Severity.INFORMATION
        yield self.report(place, key, severity, setting=place.key, value=place.value)


class NeutralRelease(NeutralRule):
    """A dependency list asks for a release of torch without torch.accelerator.

    What it does: Reports lists that exclude every release from 2.6 on, and those that exclude the release
    that the code is written for.

    Why it matters on the NPU: ``torch.accelerator`` came with 2.6, and some of its functions later: the code
    raises AttributeError.

    Example: ``torch==1.12.1``.

    Use instead: the minimum version that the report names.
    """

    code = "ACC111"
    name = "neutral-release"
    words = ("torch",)
    example_path = _LIST
    examples = (
        Example("torch==1.12.1\nnumpy\n"),
        Example("torch==2.7.1\n"),
        Example("name: a\ndependencies:\n  - pytorch=1.12.1\n", path="environment.yaml"),
        Example.unchanged("torch>=2.0\ntorchvision==0.13\n"),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        if place.name != "torch" or not holds_on_ascend(place.marker):
            return
        releases = [version for version in SUPPORTED_VERSIONS if version >= FIRST]
        fits = {version: fit_of(place, str(version)) for version in releases}
        if all(fit is Fit.EXCLUDED for fit in fits.values()):
            yield self.report(place, "too_old", Severity.ERROR, versions=place.versions, first=FIRST)
        elif fits.get(ctx.version) is Fit.EXCLUDED:
            yield self.report(place, "other", Severity.WARNING, versions=place.versions, version=ctx.version)


class NeutralPackage(NeutralRule):
    """A dependency list asks for a package that works with CUDA only.

    What it does: Reports such packages, and builds of packages for CUDA.

    Why it matters on the NPU: The package cannot be installed, or cannot be imported, on a machine with
    another accelerator.

    Example: ``pytorch3d``, ``flash-attn``, ``torch==2.6.0+cu124``.

    Use instead: an extra or an optional group for the package, and an import in a ``try``; builds without
    ``+cu`` from the index of each accelerator.
    """

    code = "ACC112"
    name = "neutral-package"
    words = tuple(PACKAGE_WORDS.split())
    example_path = _LIST
    examples = (
        Example("pytorch3d\nnumpy\n"),
        Example("nvidia-ml-py>=12\n"),
        Example("torch==2.10.0+cu128\n"),
        Example("pip install flash-attn numpy\n", path="install.sh"),
        Example.unchanged("numpy\ntorch==2.10.0\n"),
    )

    @on.place(Requirement)
    def asked(self, place: Requirement, ctx: PlaceContext) -> Iterator[Finding]:
        package = cuda_package(place.name)
        if package is not None:
            yield self.report(place, "cuda_only", _SEVERITY[package.treatment], package=place.name)
        elif is_cuda_build(place):
            yield self.report(place, "built", Severity.WARNING, package=place.name)


class NeutralOption(NeutralRule):
    """A script passes a CUDA device or NCCL to a program.

    What it does: Reports options for devices and back ends with the values ``cuda``, ``cuda:0`` and ``nccl``,
    variables with such a value that code of the project reads, and the first place that sets
    CUDA_VISIBLE_DEVICES, that asks a scheduler for GPUs, or loads a module of CUDA.

    Why it matters on the NPU: The value overrides what the program asks torch for: every other accelerator
    raises. The variable chooses among the devices of CUDA only.

    Example: ``python train.py --device cuda``.

    Use instead: no value, so that the program chooses the device.
    """

    code = "ACC113"
    name = "neutral-option"
    words = ("cuda", "nccl", "cudnn", "nvhpc", "gpu", "-g ")
    example_path = "train.sh"
    examples = (
        Example("python train.py --device cuda:0\n"),
        Example("torchrun train.py --dist-backend=nccl\n"),
        Example("device=cuda\npython train.py --device $device\npython eval.py --device $device\n"),
        Example("bash local/extract.sh --device cuda:0\n"),
        Example("export CUDA_VISIBLE_DEVICES=0\nCUDA_VISIBLE_DEVICES=1 python train.py\n"),
        Example("#!/bin/bash\n#SBATCH --gres=gpu:4\nsrun --gpus-per-node=4 python train.py\n"),
        Example("#!/bin/bash\n#PBS -l select=1:ngpus=4\nmodule load gcc cuda/12.1\npython train.py\n"),
        Example('#!/bin/bash\n#BSUB -R "rusage[ngpus_excl_p=1]"\n'),
        Example.unchanged("python train.py --name cuda --device cpu\necho --device cuda\n"),
        Example.unchanged("# CUDA_VISIBLE_DEVICES=0 python train.py\nunset CUDA_VISIBLE_DEVICES\n"),
    )

    @on.place(Variable)
    def visible(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        if place.name != _VISIBLE or place.use not in (Use.SET, Use.PREFIX):
            return
        first = ctx.once(_VISIBLE, lambda: place.start)
        if first == place.start:
            yield self.report(place, "visible", Severity.INFORMATION)

    @on.place(Variable)
    def read(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        """A variable that code of the project reads: it overrides what the code asks torch for, too."""
        value = (place.value.text or "") if place.value is not None else ""
        is_cuda = _DEVICE.fullmatch(value) or _BACKEND.fullmatch(value)
        if is_cuda and place.use in (Use.SET, Use.PREFIX) and ctx.project.declared_in(f"${place.name}"):
            yield self.report(place, "set", Severity.WARNING, variable=place.name, value=value)

    @on.place(Directive, Command, Variable)
    def scheduled(self, place: Directive | Command | Variable, ctx: PlaceContext) -> Iterator[Finding]:
        for asked in gpus_asked_for(place, ctx.file.data):
            if ctx.once("GPUs of a scheduler", partial(int, asked.start)) == asked.start:
                yield self.report(asked, "scheduled", Severity.INFORMATION, option=asked.option)

    @on.place(Command)
    def loaded(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        for word in cuda_modules(command):
            if ctx.once("modules of CUDA", partial(int, word.start)) == word.start:
                module = word.text or word.raw
                yield self.report(word, "module", Severity.INFORMATION, module=module)

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = program_in(command, ctx)
        if at is None:
            words = enumerate(command.words)
            at = next((at for at, word in words if (word.text or "").endswith(SCRIPT_SUFFIXES)), None)
        for option, word in options_of(command.words, at) if at is not None else ():
            taken = ctx.project.program.moved_options(ctx.options).get(option, ())
            for given in _values(word, ctx) if taken or _DEVICE_OPTION.fullmatch(option) else ():
                value = given.text or ""
                is_cuda = _DEVICE.fullmatch(value) or _BACKEND.fullmatch(value)
                first = ctx.once(("passed", given.start), partial(int, word.start))
                if is_cuda and first == word.start:
                    yield self.report(given, "passed", Severity.WARNING, option=option, value=value)


def _values(word: Word, ctx: PlaceContext) -> Iterator[Word]:
    """A word, and what the script sets the variable to that it means."""
    yield word
    name = variable_in(word)
    summary = ctx.once(summarise, lambda: summarise(ctx.file.places())) if name else None
    for variable in summary.sets.get(name, ()) if summary is not None else ():
        if variable.value is not None:
            yield variable.value


class NeutralImage(NeutralRule):
    """A container file starts from a CUDA image.

    What it does: Reports images of NVIDIA, and those that hold a build of torch for CUDA.

    Why it matters on the NPU: In such an image torch finds no other accelerator, so that the program takes
    the CPU.

    Example: ``FROM pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime``.

    Use instead: an argument of the build for the image, which names that of each accelerator's vendor.
    """

    code = "ACC117"
    name = "neutral-image"
    words = WORDS
    example_path = "Dockerfile"
    examples = (
        Example("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n"),
        Example.unchanged("FROM python:3.11\n# FROM nvidia/cuda:12\n"),
    )

    @on.place(BaseImage)
    def begins(self, place: BaseImage, ctx: PlaceContext) -> Iterator[Finding]:
        if is_cuda_image(place.name):
            yield self.report(place, "image", Severity.WARNING, image=place.name)
