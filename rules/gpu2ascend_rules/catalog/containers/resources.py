"""NPU1303: compose files, Kubernetes resources and jobs that ask for GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Family, Rule, on
from ...facts.packages.images import is_cuda_image
from ...kinds.settings.places import Setting
from ...model.finding import Applicability, Edit, Finding, Severity
from .images import suggested_image

_PATH = "docker-compose.yml"
_RESOURCE = "nvidia.com/gpu"
_RESOURCES = frozenset({"limits", "requests", "node_selector", "nodeSelector"})
_OF_RUNTIME = re.compile(r"NVIDIA_(?:DRIVER_CAPABILITIES|REQUIRE_\w+)")
_VARIABLE = re.compile(r"NVIDIA_VISIBLE_DEVICES(?:=.*)?")
_FLAVOR = re.compile(r"modelarts\.[\w.-]*gpu[\w.-]*", re.IGNORECASE)
_RUN_OPTION = re.compile(r"--gpus(?:=.*)?|--runtime=nvidia|(?:--device=)?nvidia\.com/gpu=.*")
_CONTAINERS = frozenset({"container", "containers", "services"})
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
    name = "gpu-resources"
    family = Family.CONTAINERS
    words = ("nvidia", "--gpus", "modelarts.", "cuda", "cu1", "capabilities", "hostrequirements")
    examples = (
        Example("services:\n  train:\n    runtime: nvidia\n", manual=True, path=_PATH),
        Example(
            "containers:\n  - image: img\n    resources:\n      limits:\n        nvidia.com/gpu: 8\n",
            manual=True,
            path="job.yaml",
        ),
        Example(
            "services:\n  train:\n    image: nvidia/cuda:12.4.1-devel-ubuntu22.04\n",
            "services:\n  train:\n    image: example.org/cann:9\n",
            settings=(("image", "example.org/cann:9"),),
            path=_PATH,
        ),
        Example(
            "services:\n  train:\n    image: nvidia/cuda:12.4.1-devel-ubuntu22.04\n", manual=True, path=_PATH
        ),
        Example(
            '{"runArgs": ["--gpus", "all"], "hostRequirements": {"gpu": true}}\n',
            manual=True,
            path=".devcontainer/devcontainer.json",
        ),
        Example(
            "jobs:\n  gpu:\n    container:\n      image: nvcr.io/nvidia/pytorch:24.01-py3\n"
            "      options: --gpus all --ipc=host\n    steps:\n      - run: make\n",
            manual=True,
            path=".github/workflows/gpu.yml",
        ),
        Example(
            "services:\n  train:\n    environment:\n      - NVIDIA_DRIVER_CAPABILITIES=compute,utility\n",
            manual=True,
            path=_PATH,
        ),
        Example.unchanged('{"hostRequirements": {"cpus": 4, "gpu": false}}\n', path="devcontainer.json"),
        Example.unchanged(
            "services:\n  web:\n    image: nginx\n    # runtime: nvidia\nname: nvidia\n", path=_PATH
        ),
    )

    @on.place(Setting)
    def asks(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        above = place.keys[-2] if len(place.keys) > 1 else ""
        if place.key == _RESOURCE and above in _RESOURCES:
            yield self.report(place, "resource", Severity.ERROR, count=place.value)
        elif place.key in ("runtime", "runtimeClassName") and place.value == "nvidia":
            yield self.report(place, "runtime", Severity.ERROR, setting=place.key)
        elif (place.key == "driver" and place.value == "nvidia" and "devices" in place.keys) or (
            _is_capability(place) and "driver: nvidia" not in ctx.file.text
        ):
            yield self.report(place, "driver", Severity.ERROR)
        elif place.key == "key" and place.value == _RESOURCE:
            yield self.report(place, "toleration", Severity.WARNING)
        elif _is_variable(place):
            yield self.report(place, "variable", Severity.WARNING)
        elif (variable := _unread_variable(place)) is not None:
            yield self.report(place, "unread", Severity.INFORMATION, variable=variable)
        elif _is_of_host(place):
            yield self.report(place, "host", Severity.WARNING)
        elif _starts_with_gpus(place):
            yield self.report(place, "arguments", _severity(ctx))
        elif _FLAVOR.fullmatch(place.value) is not None:
            yield self.report(place, "flavor", Severity.ERROR, flavor=place.value)
        elif place.key in _IMAGE_KEYS and is_cuda_image(place.value):
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


def _is_capability(place: Setting) -> bool:
    """Whether a compose file reserves devices that are GPUs, of whatever maker."""
    return place.key == "capabilities" and place.value == "gpu" and "devices" in place.keys


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


def _is_variable(place: Setting) -> bool:
    """Whether it names the variable by which NVIDIA's runtime chooses devices."""
    if place.key == "NVIDIA_VISIBLE_DEVICES":
        return True
    listed = place.key in ("environment", "env", "name", "containerEnv")
    return listed and _VARIABLE.fullmatch(place.value) is not None


def _unread_variable(place: Setting) -> str | None:
    """The variable that it names which NVIDIA's runtime alone reads."""
    listed = place.key in ("environment", "env", "name", "containerEnv")
    name = place.value.partition("=")[0] if listed else place.key
    return name if _OF_RUNTIME.fullmatch(name) is not None else None
