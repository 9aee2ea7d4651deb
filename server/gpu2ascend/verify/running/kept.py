"""Lines of a project that may ask for CUDA: the rules saw them, and find nothing that fails in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.examination import Examination
from ...project.files.content.notebooks import is_notebook
from ...project.files.discover import EntryKind, walk
from ...project.files.excludes import Excludes
from ...project.inspect.check import check_paths
from ...project.regular_files import read_inside

_CUDA = re.compile(rb"\bcuda\b")
_MAX_BYTES = 5_000_000
_GRAVE = (Severity.ERROR, Severity.WARNING)


def kept_lines(project: Path, options: MigrationOptions) -> Mapping[str, Sequence[int]]:
    """The lines, from 1, by the path relative to the project with ``/``.

    In a branch for machines with GPUs, or where a comment says so, ``torch.cuda`` is right to stay. Elsewhere
    it is what a migration forgot.

    Raises:
        ProjectError: the project cannot be examined.
    """
    paths = [project / name for name in _files_with_cuda(project)]
    if not paths:
        return {}
    with closing(check_paths(paths, options)) as examinations:
        found = {relative_path(item.path, project): _kept(item) for item in examinations}
    return {path: lines for path, lines in found.items() if lines}


def _files_with_cuda(project: Path) -> Iterator[str]:
    for entry in walk(project, Excludes(())):
        if entry.kind is not EntryKind.PYTHON or is_notebook(entry.path):
            continue
        try:
            data = read_inside(project, project / entry.path, _MAX_BYTES)
        except OSError:
            continue
        if _CUDA.search(data):
            yield entry.path


def relative_path(path: str, project: Path) -> str:
    """The path of an examined file within the project, with ``/``."""
    given = Path(path)
    return (given.relative_to(project) if given.is_absolute() else given).as_posix()


def _kept(examination: Examination) -> list[int]:
    source = examination.source
    if source is None or examination.problem is not None:
        return []
    grave = (finding for finding in examination.findings if finding.severity in _GRAVE)
    spans = ((source.lines.line_of(found.start), source.lines.line_of(found.end)) for found in grave)
    refused = {line for first, last in spans for line in range(first + 1, last + 2)}
    lines = enumerate(source.data.splitlines(), 1)
    return [number for number, line in lines if _CUDA.search(line) and number not in refused]
