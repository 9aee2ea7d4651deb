"""NPU1303: compose files, Kubernetes resources and jobs that ask for GPUs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.images import WORDS, is_cuda_image
from ...kinds.settings import Setting
from ...kinds.workflow.steps import MACHINE
from ...model.finding import Applicability, Edit, Finding, Severity
from .images import suggested_image

_RESOURCE = "nvidia.com/gpu"
_RESOURCES = (("limits",), ("requests",), ("node_selector",), ("nodeSelector",))
"""The keys that hold resources."""
_OF_RUNTIME = re.compile(r"NVIDIA_(?:DRIVER_CAPABILITIES|REQUIRE_\w+)")
_VARIABLE = re.compile(r"NVIDIA_VISIBLE_DEVICES(?:=.*)?")
_FLAVOR = re.compile(r"modelarts\.[\w.-]*gpu[\w.-]*", re.IGNORECASE)
_RUN_OPTION = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|(?:--device=)?nvidia\.com/gpu=.*")
_OF_GPUS = re.compile(r"(?<![a-z])(?<!no[-_])(?<!non[-_])(?<!not[-_])(?:gpu|cuda|nvidia)", re.IGNORECASE)
_CONTAINERS = frozenset({"container", "containers", "services"})
_LISTS_OF_VARIABLES = frozenset({"environment", "env", "name", "containerEnv"})
_IMAGE_KEYS = frozenset({"image", "image_url", "base_image"})


class GpuResources(Rule):
    """A compose file, a Kubernetes resource or a job asks for GPUs.

    What it does: Reports the place, with the text to write instead; a CUDA image becomes the one given by the
    option ``--image``.

    Why it matters on the NPU: A scheduler never starts a job that asks for a resource that no host has, and
    NVIDIA's container runtime provides no NPUs.

    Example: below ``limits``, write ``huawei.com/Ascend910: 8`` instead of ``nvidia.com/gpu: 8``. Which name
    and which runtime the cluster uses depends on its device plug-in.

    Use instead: ``huawei.com/Ascend910``; in compose files ``runtime: ascend`` with
    ``ASCEND_VISIBLE_DEVICES``, or a list of ``devices``.
    """

    code = "NPU1303"
    words = (
        *("--gpus", "modelarts.", "capabilities", "hostrequirements", "gpu: true", "resource_class"),
        *("runs-on", "tags:", *WORDS),
    )
    example_path = "docker-compose.yml"
    examples = (
        Example("services:\n  train:\n    runtime: nvidia\n"),
        Example(
            "containers:\n  - image: img\n    resources:\n      limits:\n        nvidia.com/gpu: 8\n",
            path="job.yaml",
        ),
        Example(
            "services:\n  train:\n    image: nvidia/cuda:12.4.1-devel-ubuntu22.04\n",
            "services:\n  train:\n    image: example.org/cann:9\n",
            settings=(("image", "example.org/cann:9"),),
        ),
        Example("services:\n  train:\n    image: nvidia/cuda:12.4.1-devel-ubuntu22.04\n"),
        Example(
            '{"runArgs": ["--gpus", "all"], "hostRequirements": {"gpu": true}}\n',
            path=".devcontainer/devcontainer.json",
        ),
        Example(
            "jobs:\n  gpu:\n    container:\n      image: nvcr.io/nvidia/pytorch:24.01-py3\n"
            "      options: --gpus all --ipc=host\n    steps:\n      - run: make\n",
            path=".github/workflows/gpu.yml",
        ),
        Example(
            "executors:\n  gpu:\n    machine:\n      image: linux-cuda-12:default\n"
            "    resource_class: gpu.small\n",
            path=".circleci/config.yml",
        ),
        Example("jobs:\n  t:\n    runs-on: [self-hosted, GPU]\n", path=".github/workflows/t.yml"),
        Example("t:\n  tags:\n    - GPU\n  script: [make]\n", path=".gitlab-ci.yml"),
        Example.unchanged(
            "on:\n  push:\n    tags: [v1-gpu]\njobs:\n  t:\n    runs-on: [self-hosted, no-gpu]\n",
            path=".github/workflows/t.yml",
        ),
        Example.unchanged(
            "steps:\n  - name: push\n    settings:\n      tags: [latest-cuda]\n", path=".drone.yml"
        ),
        Example(
            "services:\n  train:\n    environment:\n      - NVIDIA_DRIVER_CAPABILITIES=compute,utility\n"
        ),
        Example('build:\n  gpu: true\n  cuda: "11.8"\n  python_version: "3.10"\n', path="cog.yaml"),
        Example.unchanged('build:\n  gpu: false\n  python_version: "3.10"\n', path="cog.yaml"),
        Example.unchanged("build:\n  gpu: true\n", path="site.yaml"),
        Example.unchanged('{"hostRequirements": {"cpus": 4, "gpu": false}}\n', path="devcontainer.json"),
        Example.unchanged("services:\n  web:\n    image: nginx\n    # runtime: nvidia\nname: nvidia\n"),
    )

    @on.place(Setting)
    def asks(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        name = ctx.file.path.rpartition("/")[2]
        here = (sign for sign in _SIGNS if sign.file in ("", name) and sign.is_at(place))
        sign = next((sign for sign in here if not sign.unless or sign.unless not in ctx.file.text), None)
        if sign is not None:
            shown = {"setting": place.key, "variable": _name_of_variable(place)}
            arguments: dict[str, Any] = {sign.shows: shown.get(sign.shows, place.value)} if sign.shows else {}
            yield self.report(place, sign.key, sign.severity or _severity(ctx), **arguments)
        elif place.key in _IMAGE_KEYS and place.keys[-2:-1] != (MACHINE,) and is_cuda_image(place.value):
            yield self._image(place, ctx)

    def _image(self, place: Setting, ctx: PlaceContext) -> Finding:
        image = ctx.options.image
        if image is None:
            wanted = suggested_image(ctx)
            return self.report(place, "image", _severity(ctx), image=place.value, wanted=wanted)
        fix = self.fix(Applicability.SAFE, edits=[Edit(place.start, place.end, image)])
        return self.report(place, "named", _severity(ctx), fix=fix, image=place.value, wanted=image)


def _severity(ctx: PlaceContext) -> Severity:
    """The machines of a CI service are not those that train: there it only is to be known."""
    return Severity.WARNING if ctx.file.offers_only else Severity.ERROR


class _Sign(NamedTuple):
    """A way of asking for GPUs, with the message about it."""

    key: str
    is_at: Callable[[Setting], bool]
    severity: Severity | None = Severity.ERROR
    """None for that of machines that train."""
    shows: str = ""
    """The argument of the message."""
    unless: str = ""
    """A text of files in which something else shows it."""
    file: str = ""
    """The name of the only file that has it."""


def _starts_with_gpus(place: Setting) -> bool:
    """Whether it is among the options that start a container, or holds them all."""
    if "runArgs" in place.keys:
        return _RUN_OPTION.fullmatch(place.value) is not None
    if place.key != "options" or _CONTAINERS.isdisjoint(place.keys):
        return False
    return any(_RUN_OPTION.fullmatch(word) for word in place.value.replace("runtime ", "runtime=").split())


def _is_of_host(place: Setting) -> bool:
    """Whether a development container asks for a host with GPUs; once for a table of what these must have."""
    if "hostRequirements" not in place.keys or "gpu" not in place.keys or place.value == "false":
        return False
    return place.keys[-1] in ("gpu", "cores")


def _is_machine(place: Setting) -> bool:
    """Whether a service of continuous integration is to choose a machine by its GPUs."""
    return place.keys[-2:-1] == (MACHINE,) and _OF_GPUS.search(place.value) is not None


def _is_of_cog(place: Setting) -> bool:
    """Whether cog is to build an image with CUDA; once for an image."""
    return place.keys == ("build", "gpu") and place.value == "true"


def _is_variable(place: Setting) -> bool:
    """Whether it names the variable by which NVIDIA's runtime chooses devices."""
    listed = place.key in _LISTS_OF_VARIABLES and _VARIABLE.fullmatch(place.value) is not None
    return listed or place.key == "NVIDIA_VISIBLE_DEVICES"


def _name_of_variable(place: Setting) -> str:
    return place.value.partition("=")[0] if place.key in _LISTS_OF_VARIABLES else place.key


def _is_device(key: str, value: str) -> Callable[[Setting], bool]:
    """Whether a compose file reserves devices by a setting."""
    return lambda place: (place.key, place.value) == (key, value) and "devices" in place.keys


_SIGNS = (
    _Sign("resource", lambda it: it.key == _RESOURCE and it.keys[-2:-1] in _RESOURCES, shows="count"),
    _Sign(
        "runtime", lambda it: it.key in ("runtime", "runtimeClassName") and it.value == "nvidia",
        shows="setting",
    ),
    _Sign("machine", _is_machine, None, "machine"),
    _Sign("driver", _is_device("driver", "nvidia")),
    _Sign("driver", _is_device("capabilities", "gpu"), unless="driver: nvidia"),
    _Sign("toleration", lambda it: (it.key, it.value) == ("key", _RESOURCE), Severity.WARNING),
    _Sign("variable", _is_variable, Severity.WARNING),
    _Sign(
        "unread", lambda it: _OF_RUNTIME.fullmatch(_name_of_variable(it)) is not None,
        Severity.INFORMATION, "variable",
    ),
    _Sign("host", _is_of_host, Severity.WARNING),
    _Sign("arguments", _starts_with_gpus, None),
    _Sign("cog", _is_of_cog, file="cog.yaml"),
    _Sign("flavor", lambda it: _FLAVOR.fullmatch(it.value) is not None, shows="flavor"),
)  # fmt: skip
"""In order: the first one at a place is reported."""
