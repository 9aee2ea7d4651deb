"""NPU1302: containers that are started with GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Family, Rule, on
from ...kinds.shell.places import Command, Word
from ...model.finding import Finding, Severity

_ENGINES = frozenset({"docker", "podman", "nerdctl"})
_STARTERS = frozenset({"run", "create"})
_OPTION = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|nvidia\.com/gpu.*|--device=nvidia\.com/gpu.*")


class ContainerWithGpus(Rule):
    """A command starts a container with GPUs.

    What it does: Reports the option and lists what a container needs for NPUs. Which NPUs it gets, and
    whether the host has Ascend's container runtime, depends on the host.

    Why it matters on the NPU: ``--gpus`` fails without NVIDIA's runtime. A container only sees NPUs whose
    device files it is given, and only finds the driver if that is mounted.

    Example: ``docker run --gpus all img``: write ``--device=/dev/davinci0 --device=/dev/davinci_manager
    --device=/dev/devmm_svm --device=/dev/hisi_hdc`` and mount the driver.

    Use instead: the devices and mounts that the message names, or ``--runtime=ascend`` with ``-e
    ASCEND_VISIBLE_DEVICES=0-7`` if the host has Ascend Docker Runtime.
    """

    code = "NPU1302"
    name = "container-with-gpus"
    family = Family.CONTAINERS
    words = ("--gpus", "nvidia")
    example_path = "run.sh"
    examples = (
        Example("docker run --rm --gpus all img python train.py\n"),
        Example("docker run --runtime=nvidia img\n"),
        Example("podman run --device nvidia.com/gpu=all img\n"),
        Example.unchanged("docker run img train --gpus 8\ndocker pull nvidia/cuda\n"),
    )

    @on.place(Command)
    def starts(self, place: Command, ctx: PlaceContext) -> Iterator[Finding]:
        options = list(_options(place))
        for number, word in enumerate(options):
            text = word.text or ""
            before = options[number - 1].text if number else ""
            if _OPTION.fullmatch(text) or (before == "--runtime" and text == "nvidia"):
                yield self.report(word, "gpus", Severity.ERROR, option=text)


def _options(place: Command) -> Iterator[Word]:
    """The options of a command that starts a container: up to the image, behind which the program's come."""
    texts = [word.text for word in place.words]
    if texts[:1] == ["sudo"]:
        del texts[0]
    if not texts or (texts[0] or "").rpartition("/")[2] not in _ENGINES:
        return
    rest = texts[2:] if texts[1:2] == ["container"] else texts[1:]
    if not rest or rest[0] not in _STARTERS:
        return
    is_value = False
    for word in place.words[len(place.words) - len(rest) + 1 :]:
        text = word.text or ""
        if not text.startswith("-") and not is_value:
            return
        yield word
        is_value = text.startswith("-") and "=" not in text and text not in _SWITCHES


_SWITCHES = frozenset(
    {
        *("-d", "-i", "-t", "-it", "-ti", "-dit", "-itd", "-idt", "--rm", "--privileged", "--init"),
        *("--detach", "--interactive", "--tty", "--read-only", "--no-healthcheck", "--oom-kill-disable"),
    }
)
"""Options of ``docker run`` that take no value."""
