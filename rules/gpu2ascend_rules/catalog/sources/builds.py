"""Whether a project builds a source in C++: what names it among the files that build such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.context import Context
from ...engine.places.context import PlaceContext
from ...flow.guards.fallbacks import has_fallback
from ...limits.parents import parent_of
from ...model.project.project_view import ProjectView
from ...text.source_file import SourceFile

_BUILDERS = ("setup.py", "CMakeLists.txt")
_MOST_FOLDERS = 8
_MOST_BESIDE = 40
_LOADS = re.compile(
    r"cpp_extension|CUDAExtension|CppExtension|add_library|add_executable|pybind11_add_module|sources"
)
_CHOOSES = re.compile(
    r"is_available\(|CUDA_HOME|FORCE_CUDA|(?:WITH|USE|BUILD)_CUDA|CUDA_FOUND|environ|getenv|option\("
)
"""What a build that can do without CUDA looks at."""


def built_by(project: ProjectView, path: str) -> str | None:
    """The file of the project that builds a source on every machine; None where nothing shows one."""
    name = path.rpartition("/")[2]
    for place in _places(project, path):
        text = project.text_at(place)
        if text is not None and _names(text, name) and _LOADS.search(text) and not _CHOOSES.search(text):
            return place
    return None


def is_left_out(builder: str, ctx: PlaceContext) -> bool:
    """Whether the NPU takes another way than the ones on which a Python file builds the source."""
    text = ctx.project.text_at(builder) if builder.endswith(".py") else None
    if text is None:
        return False
    python = Context(SourceFile(text, builder), ctx.options, ctx.project)
    name = ctx.file.path.rpartition("/")[2].encode()
    found = [python.source.node_at(start, start + len(name)) for start in python.source.find_all(name)]
    strings = [node if node.type == "string" else parent_of(node) for node in found if node is not None]
    named = [node for node in strings if node is not None and node.type == "string"]
    return bool(named) and all(has_fallback(node, python) for node in named)


def _places(project: ProjectView, path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    beside = [name for name in project.names_in(folder) if name.endswith(".py") and name not in _BUILDERS]
    yield from (_joined(folder, name) for name in beside[:_MOST_BESIDE])
    for _ in range(_MOST_FOLDERS):
        present = project.names_in(folder)
        yield from (_joined(folder, name) for name in _BUILDERS if name in present)
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _names(text: str, name: str) -> bool:
    """Whether a text names a file, or all files of its suffix."""
    suffix = name.rpartition(".")[2]
    return re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.])|\*\.{re.escape(suffix)}\b", text) is not None
