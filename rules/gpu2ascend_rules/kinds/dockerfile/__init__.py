"""Container files: what ``docker build`` and its likes read."""

from __future__ import annotations

from ...text.parts.embedded import EmbeddedPython
from ..kind import Kind
from ..packages.places import Index, Requirement
from ..shell.places import SHELL_NEEDS, Command, Variable
from .dockerfile import Dockerfile
from .places import BaseImage

KIND = Kind(
    name="dockerfile",
    file=Dockerfile,
    places=(BaseImage, Command, Variable, Requirement, Index, EmbeddedPython),
    needs=SHELL_NEEDS,
    patterns=(
        *("dockerfile", "dockerfile.*", "dockerfile-*", "*.dockerfile", "*-dockerfile"),
        *("containerfile", "containerfile.*", "*.containerfile"),
    ),
    languages=("dockerfile",),
)
