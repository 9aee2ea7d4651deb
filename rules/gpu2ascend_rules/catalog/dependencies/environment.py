"""The lists of dependencies that are installed together: what one of them excludes, none can install."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...engine.places.context import PlaceContext
from ...facts.packages.pairs import pair_of
from ...kinds.packages.places import Index, Requirement
from ...kinds.packages.releases import Fit, fit_of, holds_on_ascend
from ...kinds.packages.requirement import read_requirement
from ...kinds.registry import kind_file, kind_of_name
from ...kinds.requirements import places_of
from ...kinds.shell.places import Command
from ...limits.checkpoints import checkpoint
from ...model.project.project_view import ProjectView
from ...model.versions import Version

_DOCUMENTS = re.compile(r"(?:^|[/_-])(?:docs?|documentation|readthedocs|sphinx)(?:[/._-]|$)", re.I)
_FOLDERS = (
    "requirements",
    "reqs",
    "requires",
    "deps",
    "dependencies",
    "ci",
    "conda",
    "docker",
    "tests",
    "dev",
)
"""Directories whose lists are those of the project above them, not of a project that lies there."""
_NAMED = re.compile(
    r"requirements|constraints|pyproject\.toml$|pipfile$|setup\.(?:cfg|py)$|(?:^|[-_.])(?:env|environment|conda)\b",
    re.I,
)
_INCLUDE = re.compile(
    r"^[ \t]*(?:-r|-c|--requirement|--constraint)(?:[ \t]*=)?[ \t]*(?P<path>[^\s#=]+)", re.M
)
_IN_SCRIPT = re.compile(r"""(['"])(?P<entry>torch(?:vision|audio)?\s*[<>=!~(][^'"\n]*)\1""")
_LISTED = ("torch", "torchvision", "torchaudio")
_ELSEWHERE = frozenset({"habana-torch-plugin", "neuronx-cc", "torch-neuron", "torch-neuronx"})
_ASKS_FOR_TORCH = re.compile(r"(?<![\w./-])(?:py)?torch(?![\w/-])")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.M)
MAX_FILES = 100
_OF_CPU = re.compile(r"(?:^|[/_.-])cpu(?:[_-][^/]*)?\.(?:txt|in|ya?ml)$", re.I)
_CONSTRAINTS = re.compile(r"(?:^|[/_-])constraints?(?:[._-][^/]*)?$", re.I)


class Demand(NamedTuple):
    """An entry of a list that no release of the pair satisfies."""

    path: str
    entry: str


def needs_no_npu(path: str) -> bool:
    """Whether a list is for what builds the documents, or by its name for machines with a CPU alone.

    From PyTorch 2.5 on torch loads torch-npu where that is installed, which fails without CANN.
    """
    return _DOCUMENTS.search(path) is not None or _OF_CPU.search(path) is not None


def is_for_another_accelerator(ctx: PlaceContext) -> bool:
    """Whether a file installs the builds of torch for another accelerator, which pin torch themselves."""
    names = (place.name for place in ctx.file.places() if isinstance(place, Requirement))
    return ctx.once("another accelerator", lambda: not _ELSEWHERE.isdisjoint(names))


def is_list_of_constraints(path: str) -> bool:
    """Whether a list only limits what others install."""
    return _CONSTRAINTS.search(path.rpartition(".")[0]) is not None


def contradiction(project: ProjectView, path: str, version: Version, text: str = "") -> Demand | None:
    """The first entry for torch, torchvision or torchaudio that excludes the release for a version.

    Looked for in the list itself, in those beside and above it, and in what they include by ``-r`` and
    ``-c``: while one of them excludes a release, pip refuses to install it for the others, too.

    Args:
        text: The list's own text, which counts in place of the file.
    """
    pair = pair_of(version)
    for listed, content in lists_with(project, path, text):
        if _is_of_commands(listed):
            continue  # its commands are run one after the other, or one of them
        for place in _demands(listed, content):
            release = pair.release_of(place.name)
            refused = (Fit.EXCLUDED, Fit.UNREADABLE) if place.name == "torch" else (Fit.EXCLUDED,)
            if release and holds_on_ascend(place.marker) and fit_of(place, release) in refused:
                return Demand(listed, f"{place.name}{place.shown_versions}")
    return None


def brings_torch(place: Requirement, ctx: PlaceContext) -> bool:
    """Whether torch comes by an entry: by its own, else by the first of a package that needs it, in a list
    for pip that is installed with none that names torch."""
    if is_for_another_accelerator(ctx):
        return False
    if place.name == "torch" or ctx.file.kind.name != "requirements":
        return place.name == "torch"
    return place.start == ctx.once("what brings torch", lambda: _first_companion(ctx))


def _first_companion(ctx: PlaceContext) -> int | None:
    lists = lists_with(ctx.project, ctx.file.path, ctx.file.text)
    if any(_ASKS_FOR_TORCH.search(_COMMENT.sub("", content)) for _, content in lists):
        return None
    places = (place for place in ctx.file.places() if isinstance(place, Requirement))
    found = (place.start for place in places if place.name in _LISTED and holds_on_ascend(place.marker))
    return next(found, None)


def lists_with(project: ProjectView, path: str, text: str = "") -> Iterator[tuple[str, str]]:
    """Paths and texts of the lists that are installed together with one, itself first."""
    waiting = [path, *_lists_near(project, path)]
    seen: set[str] = set()
    for listed in waiting:
        checkpoint()
        if listed in seen or len(seen) >= MAX_FILES:
            continue
        seen.add(listed)
        content = text if listed == path and text else project.text_at(listed)
        if content is None or (listed != path and needs_no_npu(listed)):
            continue
        yield listed, content
        waiting += _included(listed, content)


def names_cpu_index(text: str) -> bool:
    """Whether a text names an index of PyTorch's own builds."""
    return "pytorch.org/whl/" in text


def has_cpu_index(project: ProjectView, path: str, text: str) -> bool:
    """Whether one of the lists names such an index: one is enough for all that pip reads together."""
    return any(
        names_cpu_index(content) for listed, content in lists_with(project, path, text) if _is_of_pip(listed)
    )


def is_read_by_setup(project: ProjectView, path: str) -> bool:
    """Whether a setup script or pyproject.toml may read the list, where no option of pip may be."""
    name = posixpath.basename(path)
    for directory in _homes(path):
        script = project.text_at(posixpath.join(directory, "setup.py")) or ""
        if "requirements" in script or name in script:
            return True
        for other in ("pyproject.toml", "setup.cfg"):
            if name in (project.text_at(posixpath.join(directory, other)) or ""):
                return True
    return False


def _homes(path: str) -> Iterator[str]:
    """The directory of the project that a list belongs to, and those above it."""
    directory = posixpath.dirname(path)
    if posixpath.basename(directory).lower() in _FOLDERS:
        directory = posixpath.dirname(directory)
    while True:
        yield directory
        above = posixpath.dirname(directory)
        if above == directory:  # the top of the project, or of a path that begins at the root
            return
        directory = above


def _lists_near(project: ProjectView, path: str) -> Iterator[str]:
    for home in _homes(path):
        for directory in (home, *(posixpath.join(home, folder) for folder in _FOLDERS)):
            for name in project.names_in(directory):
                listed = posixpath.join(directory, name)
                if _is_of_commands(listed):
                    continue
                if _NAMED.search(name) or (_is_of_pip(listed) and directory != home):
                    yield listed


def _is_of_pip(path: str) -> bool:
    kind = kind_of_name(path)
    return kind is not None and Index in kind.places and kind.name in ("requirements", "yaml")


def _is_of_commands(path: str) -> bool:
    """Whether a file is a script or a notebook, whose commands install when it is run."""
    kind = kind_of_name(path)
    return path.lower().endswith(".ipynb") or (kind is not None and Command in kind.places)


def _included(path: str, text: str) -> list[str]:
    """The lists that a list names, as paths of the project; those outside it begin with two dots."""
    if not _is_pips(path):
        return []
    found = (match["path"].strip("'\"") for match in _INCLUDE.finditer(text))
    paths = (
        posixpath.normpath(posixpath.join(posixpath.dirname(path), one)) for one in found if "://" not in one
    )
    return [one for one in paths if not one.startswith(("..", "/"))]


@lru_cache(maxsize=64)
def _demands(path: str, text: str) -> tuple[Requirement, ...]:
    """The entries for torch and its companions."""
    if not any(name in text for name in ("torch", "Torch", "TORCH")):
        return ()
    if path.endswith("setup.py"):
        return tuple(_of_script(text))
    file = kind_file(path, text)
    places: Iterator[object] = iter(())
    if _is_pips(path):
        places = places_of(text.encode("utf-8", "replace"))
    elif file is not None and Requirement in file.kind.places:
        places = file.places()
    return tuple(place for place in places if isinstance(place, Requirement) and place.name in _LISTED)


def _is_pips(path: str) -> bool:
    """Whether a list is one of pip's: by ``-r`` it reads files of any name."""
    kind = kind_of_name(path)
    return kind.name == "requirements" if kind is not None else not path.endswith(".py")


def _of_script(text: str) -> Iterator[Requirement]:
    """What a setup script has in texts of its own; a pattern, for nothing of it is run."""
    for match in _IN_SCRIPT.finditer(text):
        written = read_requirement(match["entry"], match.start("entry"))
        if written is not None:
            yield written
