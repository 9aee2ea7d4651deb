"""What an update says of its result: files that people changed are looked at as they are now.

The result is known when every file is migrated. What became of each file waits on the disk until then.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

import attrs

from ...entries.facts.collected import ProgramFactsBuilder
from ...entries.programs import Programs
from ...errors import writing
from ...files.content.encoding import NotTextError, decode
from ...files.silenced import SilencedByProject
from ...files.writing.copying import UnreadableError, read_file
from ...index.survey import survey_project
from ...index.view import ProjectFiles
from ...options.made_for import as_looked_at
from ...paths import join, shown
from ...processes.workers import never
from ...report.hunks import hunks_of
from ...report.result import FileOutcome, FileStatus
from ...report.tally import Tally
from ...report.unexamined import Unexamined
from ...update.update import Merging, Place
from ..readiness import Readiness
from ..run import OwnFiles, Result, Run


class Held:
    """Results on the disk, in a file that goes when it is closed."""

    def __init__(self, results: Iterable[Result], directory: Path) -> None:
        """
        Raises:
            OutputError: they cannot be written.
        """
        with writing(directory):
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix=".gpu2ascend-", dir=directory)  # noqa: SIM115
            for result in results:
                pickle.dump(result, self._file)

    def __iter__(self) -> Iterator[Result]:
        """All of them, in the order in which they came."""
        self._file.seek(0)
        with suppress(EOFError):
            while True:
                yield pickle.load(self._file)

    def close(self) -> None:
        """Forget them."""
        self._file.close()


def results_of_merge(
    run: Run, results: Iterable[Result], merging: Merging, directory: Path
) -> Iterator[Result]:
    """The results of a new migration as an update has left them in a directory."""
    examined = _examined(run, merging.own, directory)
    for result in results:
        place = merging.places.get(result.path)
        if place is None:
            yield result
        elif place.path is not None:
            now = examined.pop(shown(place.path), None)
            yield _placed(run, result, place, now, directory)
    for outcome in examined.values():  # people's own files
        run.silenced.add_file(outcome.path, outcome.silenced)
        yield outcome


def _examined(run: Run, paths: frozenset[str], directory: Path) -> dict[str, FileOutcome]:
    """What is in files that people changed or added."""
    if not paths:
        return {}
    with closing(_look(run, paths, directory).results(None)) as results:
        looked_at = (result for result in results if isinstance(result, FileOutcome))
        return {item.path: item._replace(is_of_output=True) for item in looked_at}


def _look(run: Run, paths: frozenset[str], directory: Path) -> Run:
    """A run that looks at files of what an update has left, and counts nothing for the other one."""
    options = as_looked_at(run.options, directory)
    facts = ProgramFactsBuilder()
    limit = options.max_file_bytes
    survey = survey_project(directory, run.excludes, lambda done, path: None, never, limit, listener=facts)
    project = ProjectFiles(directory, survey.facts, max_bytes=limit)
    project.decided(options)
    return attrs.evolve(
        run,
        root=directory,
        options=attrs.evolve(options, require_rule_matches=False),
        survey=survey,
        project=project,
        programs=Programs(directory, facts.result(), options.entries),
        tally=Tally(),
        codemods={},
        own_files=OwnFiles(),
        readiness=Readiness(options.require_version(), options.route.device_module),
        unexamined=Unexamined(),
        silenced=SilencedByProject(options),
        sinks=run.sinks._replace(progress=lambda progress: None),
        page=None,
        matched=set(),
        needed=set(),
        only=paths,
    )


def _placed(run: Run, result: Result, place: Place, now: FileOutcome | None, directory: Path) -> Result:
    """A result where the update has put its file, with what is in the file now."""
    path = shown(place.path or "")
    if not isinstance(result, FileOutcome) or not place.is_changed:
        return result._replace(path=path)
    if now is None:  # it is of no kind that is looked at any more
        now = FileOutcome(path, FileStatus.UNCHANGED, way=result.way)
    status = now.status if now.status.is_trouble else result.status
    hunks = result.hunks
    if run.page is not None:
        with suppress(UnreadableError, NotTextError):
            hunks = hunks_of(_text(run.root, place.source), _text(directory, place.path or ""))
    return now._replace(
        status=status,
        applied=result.applied,
        kernels=result.kernels,
        equivalents=result.equivalents,
        imports=result.imports,
        uses=result.uses,
        hunks=hunks,
    )


def _text(directory: Path, path: str) -> str:
    return decode(read_file(join(str(directory), path)).data).text
