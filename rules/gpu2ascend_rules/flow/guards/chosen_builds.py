"""Extensions that a script builds for a choice of the project: without them its programs run as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...inference.extensions.setup_scripts import ANY, Extension

if TYPE_CHECKING:
    from ...engine.context import Context

_PACKAGES = (b"packages", b"py_modules")


def is_built_by_choice(extensions: Iterable[Extension], ctx: Context) -> bool:
    """Whether a script builds nothing but extensions that the project uses where a setting is changed."""
    if "/" not in ctx.source.path or any(map(ctx.source.has, _PACKAGES)):
        return False  # who installs the project, or the package, builds them
    names = {name for item in extensions for name in item.names}
    needed = {ctx.project.cuda.is_extension_needed(name, ctx.options) for name in names if ANY not in name}
    return needed == {False}
