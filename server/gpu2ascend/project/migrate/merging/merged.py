"""What an update says of its result: where people changed anything, all of it is looked at as it is now.

The result is known when every file is migrated. What became of each file waits on the disk until then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path

import attrs

from gpu2ascend_rules.model.finding import Message

from ...entries.facts.collected import ProgramFactsBuilder
from ...entries.programs import Programs
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


def results_of_merge(
    run: Run, results: Iterable[Result], merging: Merging, directory: Path
) -> Iterator[Result]:
    """The results of a new migration as an update has left them in a directory."""
    if not merging.is_changed:
        yield from results
        return
    own = {shown(path) for path in merging.own}
    examined = _examined(run, own, directory)
    is_known = not any(examined[path].status.is_trouble for path in own & examined.keys())
    for result in results:
        place = merging.places.get(result.path)
        path = result.path if place is None else shown(place.path or "")
        if place is None or (place.path is not None and not place.is_changed):
            yield _untouched(result._replace(path=path), examined.get(path), is_known=is_known)
        elif place.path is not None:
            own.discard(path)
            yield _placed(run, result._replace(path=path), place, examined.get(path), directory)
    for path in sorted(own & examined.keys()):  # people's own files
        run.silenced.add_file(path, examined[path].silenced)
        yield examined[path]


def _examined(run: Run, own: Collection[str], directory: Path) -> dict[str, FileOutcome]:
    """What is in the files: what people changed in one may show in another."""
    with closing(_look(run, directory).results(None)) as results:
        looked_at = (result for result in results if isinstance(result, FileOutcome))
        kept = (item for item in looked_at if item.says_something or item.path in own)
        return {item.path: item._replace(is_of_output=True) for item in kept}


def _look(run: Run, directory: Path) -> Run:
    """A run that looks at what an update has left, and counts nothing for the other one."""
    options = as_looked_at(run.options, directory)
    facts = ProgramFactsBuilder()
    limit = options.max_file_bytes
    survey = survey_project(directory, run.excludes, lambda done, path: None, never, limit, listener=facts)
    project = ProjectFiles(directory, survey.facts, max_bytes=limit)
    project.program.decided(options)
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
        looks_only=True,
    )


def _placed(run: Run, result: Result, place: Place, now: FileOutcome | None, directory: Path) -> Result:
    """A result of a file that people changed, with what is in the file now."""
    if not isinstance(result, FileOutcome):
        return result
    hunks = result.hunks
    if run.page is not None:
        with suppress(UnreadableError, NotTextError):
            hunks = hunks_of(_text(run.root, place.source), _text(directory, place.path or ""))
    return _as_now(result._replace(hunks=hunks), now)


def _untouched(result: Result, now: FileOutcome | None, *, is_known: bool) -> Result:
    """A result of a file that is as the new migration wrote it; what others changed may show in it.

    Args:
        is_known: Whether all that people changed could be examined; otherwise nothing is taken to be solved.
    """
    if not isinstance(result, FileOutcome):
        return result
    before, after = _said(result), _said(now)
    if before == after or not (is_known or before <= after):
        return result
    return _as_now(result, now)


def _said(outcome: FileOutcome | None) -> Counter[tuple[str, Message]]:
    """What is found in a file, wherever in it."""
    if outcome is None:
        return Counter()
    found = chain(outcome.remaining, outcome.restricted, outcome.advice)
    return Counter((item.finding.code, item.finding.message) for item in found)


def _as_now(result: FileOutcome, now: FileOutcome | None) -> FileOutcome:
    """What a migration did to a file, with what is in it now."""
    if now is None:  # nothing, or it is of no kind that is looked at any more
        now = FileOutcome(result.path, FileStatus.UNCHANGED, way=result.way, is_of_output=True)
    return now._replace(
        status=now.status if now.status.is_trouble else result.status,
        applied=result.applied,
        kernels=result.kernels,
        equivalents=result.equivalents,
        imports=result.imports,
        uses=result.uses,
        hunks=result.hunks,
    )


def _text(directory: Path, path: str) -> str:
    return decode(read_file(join(str(directory), path)).data).text
