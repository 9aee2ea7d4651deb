"""NPU1301: images that are made for CUDA."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.packages.images import WORDS, is_cuda_image
from ...kinds.dockerfile.places import BaseImage
from ...model.finding import Applicability, Edit, Finding, Severity
from .images import suggested_image

_EXAMPLE = "quay.io/ascend/cann:9.1.0-910b-ubuntu22.04-py3.11"


class CudaImage(Rule):
    """A container file starts from a CUDA image.

    What it does: Replaces the image with the one given by the option ``--image``. Without the option it
    reports the image and names a CANN image for the version and the hardware.

    Why it matters on the NPU: The image contains CUDA, and often a CUDA build of torch, with which torch_npu
    does not start; it lacks CANN.

    Example: ``FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS build`` becomes ``FROM
    quay.io/ascend/cann:9.1.0-910b-ubuntu22.04-py3.11 AS build``.

    Use instead: a CANN image; install torch's CPU build and torch-npu in it, and source CANN's set_env.sh at
    the start of scripts, because an ENV instruction cannot source it.
    """

    code = "NPU1301"
    words = WORDS
    example_path = "Dockerfile"
    examples = (
        Example("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04 AS build\n"),
        Example("FROM pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime\n"),
        Example("ARG BASE=nvcr.io/nvidia/pytorch:24.01-py3\nFROM $BASE\n"),
        Example("FROM nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3\n"),
        Example("FROM dustynv/l4t-pytorch:r36.2.0\n"),
        Example("ARG TAG=2.1.0-cuda12.1-cudnn8-devel\nFROM pytorch/${REPO:-pytorch}:$TAG\n"),
        Example(
            "FROM --platform=linux/amd64 nvidia/cuda:12.4.1-base-ubuntu22.04 AS build\nFROM build\n",
            f"FROM --platform=linux/amd64 {_EXAMPLE} AS build\nFROM build\n",
            settings=(("image", _EXAMPLE),),
        ),
        Example.unchanged("FROM python:3.11\n# FROM nvidia/cuda:12\nFROM tensorflow/tensorflow:2-cuda\n"),
    )

    @on.place(BaseImage)
    def begins(self, place: BaseImage, ctx: PlaceContext) -> Iterator[Finding]:
        if not is_cuda_image(place.name):
            return
        image = ctx.options.image
        if image is None:
            wanted = suggested_image(ctx)
            yield self.report(place, "image", Severity.ERROR, image=place.name, wanted=wanted)
        else:
            fix = self.fix(Applicability.SAFE, edits=[Edit(place.start, place.end, image)])
            yield self.report(place, "named", Severity.ERROR, fix=fix, image=place.name, wanted=image)
