"""NPU1302: containers that are started with GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.images import WORDS, is_cuda_image
from ...kinds.shell.places import Command, Use, Variable, Word
from ...model.finding import Finding, Severity
from .images import suggested_image

_WITH_GPUS = "nvidia-docker"
_ENGINES = frozenset({"docker", "podman", "nerdctl", _WITH_GPUS})
_STARTERS = frozenset({"run", "create"})
_OPTION = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|nvidia\.com/gpu.*|--device=nvidia\.com/gpu.*")


class ContainerWithGpus(Rule):
    """A command starts a container with GPUs.

    What it does: Reports the option, ``--nv`` of Singularity and Apptainer, or ``nvidia-docker`` with any
    command, and lists what a container needs for NPUs. Which NPUs it gets, and whether the host has
    Ascend's container runtime, depends on the host. Also reports an image that is made for CUDA, also
    where a variable holds it.

    Why it matters on the NPU: ``--gpus`` fails without NVIDIA's runtime. A container only sees NPUs whose
    device files it is given, and only finds the driver if that is mounted.

    Example: ``docker run --gpus all img``: write ``--device=/dev/davinci0 --device=/dev/davinci_manager
    --device=/dev/devmm_svm --device=/dev/hisi_hdc`` and mount the driver.

    Use instead: the devices and mounts that the message names, or ``--runtime=ascend`` with ``-e
    ASCEND_VISIBLE_DEVICES=0-7`` if the host has Ascend Docker Runtime.
    """

    code = "NPU1302"
    words = ("--gpus", "--nv", *WORDS)
    example_path = "run.sh"
    examples = (
        Example("docker run --rm --gpus all img python train.py\n"),
        Example("docker run --runtime=nvidia img\n"),
        Example("podman run --device nvidia.com/gpu=all img\n"),
        Example("sudo nvidia-docker run -it --name a -v $PWD:/a img\n"),
        Example("/usr/bin/nvidia-docker run img\n"),
        Example("nvidia-docker build -t img .\n"),
        Example(
            "docker run --rm -v $PWD:/a nvcr.io/nvidia/pytorch:21.08-py3 python train.py --device cuda\n"
        ),
        Example("IMAGE=nvcr.io/nvidia/pytorch:21.08-py3\ndocker run $IMAGE python train.py\n"),
        Example("IMAGE = pytorch/pytorch:1.8.1-cuda11.1-cudnn8\n", path="Makefile"),
        Example("srun singularity exec -B /data --nv img.sif python train.py\n"),
        Example.unchanged("singularity exec img.sif python train.py\npython train.py --nv\n"),
        Example.unchanged("docker run img train --gpus 8\ndocker pull nvidia/cuda\n"),
    )

    @on.place(Command)
    def starts(self, place: Command, ctx: PlaceContext) -> Iterator[Finding]:
        options, image = _parts(place)
        for number, word in enumerate(options):
            text = word.text or ""
            before = options[number - 1].text if number else ""
            is_starter = not number and text.rpartition("/")[2] == _WITH_GPUS
            if _OPTION.fullmatch(text) or (before == "--runtime" and text == "nvidia") or is_starter:
                yield self.report(word, "gpus", Severity.ERROR, option=text)
        for word in _driver_options(place):
            yield self.report(word, "driver", Severity.ERROR, option=word.text)
        if image is not None and is_cuda_image(image.text or ""):
            wanted = suggested_image(ctx)
            yield self.report(image, "image", Severity.ERROR, image=image.text, wanted=wanted)

    @on.place(Variable)
    def holds(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        image = place.value.text or "" if place.use is Use.SET and place.value is not None else ""
        if place.value is not None and ":" in image and "/" in image and is_cuda_image(image):
            wanted = suggested_image(ctx)
            yield self.report(place.value, "image", Severity.WARNING, image=image, wanted=wanted)


_BINDERS = frozenset({"singularity", "apptainer"})
_DRIVER_OPTIONS = frozenset({"--nv", "--nvccli"})
"""With which they bring NVIDIA's driver into a container."""


def _driver_options(place: Command) -> Iterator[Word]:
    for number, word in enumerate(place.words):
        if word.text in _DRIVER_OPTIONS and any(item.name in _BINDERS for item in place.words[:number]):
            yield word


def _parts(place: Command) -> tuple[list[Word], Word | None]:
    """The program and the options of a command that starts a container, up to the image, behind which the
    program's come; and the image."""
    words = list(place.words)
    if words and words[0].text == "sudo":
        del words[0]
    if not words or (words[0].text or "").rpartition("/")[2] not in _ENGINES:
        return [], None
    given = words[2:] if [word.text for word in words[1:2]] == ["container"] else words[1:]
    if not given or given[0].text not in _STARTERS:
        return [words[0]] if (words[0].text or "").rpartition("/")[2] == _WITH_GPUS else [], None
    number = _number_of_options(given[1:])
    return [words[0], *given[1 : number + 1]], next(iter(given[number + 1 :]), None)


def _number_of_options(words: list[Word]) -> int:
    """How many words are options and their values."""
    is_value = False
    for number, word in enumerate(words):
        text = word.text or ""
        if not text.startswith("-") and not is_value:
            return number
        is_value = text.startswith("-") and "=" not in text and text not in _SWITCHES
    return len(words)


_SWITCHES = frozenset(
    {
        *("-d", "-i", "-t", "-it", "-ti", "-dit", "-itd", "-idt", "--rm", "--privileged", "--init"),
        *("--detach", "--interactive", "--tty", "--read-only", "--no-healthcheck", "--oom-kill-disable"),
    }
)
"""Options of ``docker run`` that take no value."""
