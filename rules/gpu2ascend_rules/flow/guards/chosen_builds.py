"""Extensions without which a project is installed and its programs run as they are: those of a choice of the
project, and those whose build may fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...inference.extensions.setup_scripts import ANY, Extension
from ...limits.below import nodes_in
from ...text.guards import handles_absence
from ...text.syntax import ancestors

if TYPE_CHECKING:
    from tree_sitter import Node

    from ...engine.context import Context
    from ...text.source_file import SourceFile

_BUILDS = ("BuildExtension", "build_ext")
_PACKAGES = (b"packages", b"py_modules")


def is_built_by_choice(extensions: Iterable[Extension], ctx: Context) -> bool:
    """Whether a script builds nothing but extensions that the project uses where a setting is changed."""
    if "/" not in ctx.source.path or any(map(ctx.source.has, _PACKAGES)):
        return False  # who installs the project, or the package, builds them
    names = {name for item in extensions for name in item.names}
    needed = {ctx.project.cuda.is_extension_needed(name, ctx.options) for name in names if ANY not in name}
    return needed == {False}


def may_fail(source: SourceFile) -> bool:
    """Whether a script goes on where a build fails: a class of its own tries the build of its base."""
    bases = (word for name in _BUILDS for word in source.identifiers(name))
    return any(_tries(found) for word in bases if (found := _derived_from(word)) is not None)


def _derived_from(word: Node) -> Node | None:
    """The class of which a name is a base."""
    holder = next((node for node in ancestors(word) if node.type not in ("attribute", "argument_list")), None)
    return holder if holder is not None and holder.type == "class_definition" else None


def _tries(definition: Node) -> bool:
    tried = (node for node in nodes_in(definition) if node.type == "try_statement")
    return any(b"super()." in (node.text or b"") and handles_absence(node) for node in tried)
