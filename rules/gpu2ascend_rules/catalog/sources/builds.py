"""Whether a project builds a source in C++: what names it among the files that build such."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.places.context import PlaceContext
from ...flow.guards.chosen_builds import is_built_by_choice, may_fail
from ...flow.guards.fallbacks import has_fallback
from ...inference.extensions.setup_scripts import extensions_of
from ...limits.parents import parent_of
from ...model.project.project_view import ProjectView
from ...text.source_file import SourceFile

_BUILDERS = ("setup.py", "CMakeLists.txt")
_HEADERS = (".h", ".hpp", ".cuh")
_SOURCES = (".cu", ".cpp", ".cc", ".cxx")
_MOST_FOLDERS = 8
_MOST_SIBLINGS = 40
_LOADS = re.compile(
    r"cpp_extension|CUDAExtension|CppExtension|add_library|add_executable|pybind11_add_module|sources"
)
_REMARK = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
_CHOOSES = re.compile(
    r"is_available\(|CUDA_HOME|FORCE_CUDA|(?:WITH|USE|BUILD)_CUDA|CUDA_FOUND|environ|getenv|option\("
)
"""What a build that can do without CUDA looks at."""


def built_by(project: ProjectView, path: str) -> Iterator[tuple[str, bool]]:
    """The files of the project that build a source, with whether each does so on every machine."""
    for place in _places(project, path):
        text = _REMARK.sub("", project.text_at(place) or "")
        below = path.removeprefix(place.rpartition("/")[0]).lstrip("/")
        if _names(text, below) and _LOADS.search(text):
            yield place, _CHOOSES.search(text) is None


class Left(enum.Enum):
    """Whether the NPU's machine does without a source that a file builds."""

    OUT = "out"
    """It takes another way."""
    BY_DEFAULT = "by default"
    """It does so where no setting is changed."""
    NOT = "not"


def left_by(builder: str, ctx: PlaceContext, path: str) -> Left:
    """What becomes of the source at a path where a file builds it."""
    if _is_left_out(builder, ctx, path):
        return Left.OUT
    return Left.BY_DEFAULT if _is_left_out(builder, ctx, path, by_default=True) else Left.NOT


def _is_left_out(builder: str, ctx: PlaceContext, path: str, *, by_default: bool = False) -> bool:
    """Whether the NPU takes another way than the ones on which a Python file builds the source.

    Args:
        path: Of the source.
        by_default: Whether it does so where no setting is changed.
    """
    text = ctx.project.text_at(builder) if builder.endswith(".py") else None
    if text is None:
        return False
    python = Context(SourceFile(text, builder), ctx.options, ctx.project)
    if may_fail(python.source):
        return True
    extensions = extensions_of(python.source)
    places = list(_named(path.rpartition("/")[2].encode(), python.source))
    if not places:  # it may name all sources of a folder
        places = [item.made_of for item in extensions]
    is_left = all(has_fallback(place, python, by_default=by_default) for place in places)
    return (bool(places) and is_left) or (by_default and is_built_by_choice(extensions, python))


def _named(file: bytes, source: SourceFile) -> Iterator[Node]:
    """The strings that name a file."""
    for start in source.find_all(file):
        node = source.node_at(start, start + len(file))
        string = parent_of(node) if node is not None and node.type != "string" else node
        if string is not None and string.type == "string":
            yield string


def including(project: ProjectView, path: str) -> Iterator[str]:
    """The sources beside a header that include it."""
    folder, _, name = path.rpartition("/")
    if name.endswith(_HEADERS):
        for other in project.names_in(folder)[:_MOST_SIBLINGS]:
            if other.endswith(_SOURCES) and f'"{name}"' in (project.text_at(_joined(folder, other)) or ""):
                yield _joined(folder, other)


def _places(project: ProjectView, path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    siblings = [name for name in project.names_in(folder) if name.endswith(".py") and name not in _BUILDERS]
    yield from (_joined(folder, name) for name in siblings[:_MOST_SIBLINGS])
    for _ in range(_MOST_FOLDERS):
        present = project.names_in(folder)
        yield from (_joined(folder, name) for name in _BUILDERS if name in present)
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _names(text: str, path: str) -> bool:
    """Whether a text names a file, or all files of its suffix in a folder that it names.

    Args:
        path: As seen from the folder of the text.
    """
    *folders, name = path.split("/")
    if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.])", text):
        return True
    is_there = not folders or any(re.search(rf"(?<![\w.*-]){re.escape(item)}\b", text) for item in folders)
    return is_there and re.search(rf"\*\.{re.escape(name.rpartition('.')[2])}\b", text) is not None
