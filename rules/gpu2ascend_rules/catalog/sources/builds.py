"""Whether a project builds a source in C++: what names it among the files that build such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...model.project.project_view import ProjectView

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
