"""The page of one run: a migration writes it into its output, an analysis where it was asked to."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs

from gpu2ascend_rules.facts.packages.pairs import pair_of
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message, Severity

from .... import __version__
from ....texts.catalogue import Texts
from ....texts.shell import shell_word
from ...errors import writing
from ...files.silenced import SilencedByProject
from ...kernels.described import kernel_chapter
from ...kernels.sized import sized_kernels
from ...paths import shown
from ...report.html.collect import PageCollector
from ...report.html.document import write_pages
from ...report.html.model import RunFacts, WayFacts
from ...report.result import FileOutcome, PageRequest, Summary
from ...report.tally import Tally
from ...report.unexamined import Unexamined
from ..added_files import AddedFiles
from ..codemods import planned_codemods
from ..readiness import Readiness
from ..run import Run

_LEFT = (Severity.ERROR, Severity.WARNING)
_PAGES = ("report", "report_diffs")


@attrs.define
class Left:
    """What a way leaves, as its files are done."""

    places: dict[str, list[str]] = attrs.field(factory=dict)
    """By code the places of errors and warnings, as text that can be shown."""

    def add(self, outcome: FileOutcome) -> None:
        """Note what is left in a file."""
        for item in outcome.remaining:
            if item.finding.severity in _LEFT:
                place = f"{shown(outcome.path)}:{item.start_line}"
                self.places.setdefault(item.finding.code, []).append(place)


def noting(run: Run, left: Left) -> Run:
    """The same run, which also notes what it leaves."""
    return attrs.evolve(run, sinks=run.sinks.after(left.add))


def _silent(_: object) -> None:
    """A sink that keeps nothing."""


def other_way(run: Run) -> WayFacts | None:
    """What the ordinary way of the run's target would change and leave; None where the run takes that.

    Nothing is written.

    Raises:
        CancelledError: the run was cancelled meanwhile.
    """
    options = run.options
    if options.way is None:
        return None
    changes: dict[str, Any] = {options.way: False}
    options = attrs.evolve(options, **changes)
    left = Left()
    other = attrs.evolve(
        run,
        options=options,
        sinks=run.sinks._replace(progress=_silent, on_file=left.add),
        codemods=planned_codemods(run.root, options, run.project),
        readiness=Readiness(options.require_version(), options.route.device_module),
        tally=Tally(run.tally.entries, left_out=tuple(map(shown, run.programs.unread))),
        unexamined=Unexamined(),
        silenced=SilencedByProject(options),
        page=None,
        matched=set(),
        needed=set(),
    )
    with closing(other.results(None)) as results:
        return WayFacts("report.way-of-code", other.recorded(results, None), left.places)


class PageOfRun:
    """Made before a run, which goes on as :attr:`run`; :meth:`close` must follow."""

    def __init__(self, run: Run, language: str, directory: Path | None = None) -> None:
        """
        Args:
            run: Is going to be carried out.
            language: Of the page.
            directory: Where records of files may lie meanwhile.
        """
        self._page = PageCollector(language, directory, run.unexamined)
        self._left = Left()
        self.run = attrs.evolve(noting(run, self._left) if run.options.route.notes else run, page=self._page)
        """The same run, which lets the page know of each file."""

    def write(
        self,
        directory: Path,
        names: Mapping[str, str],
        summary: Summary,
        notices: tuple[Message, ...],
        *,
        target: Path,
        added: AddedFiles,
        script: str | None,
    ) -> tuple[str, ...]:
        """Write the page into an output that is being built; gives the names of what was written.

        Args:
            directory: Of the output.
            names: Of the reports there.
            summary: The counts.
            notices: Notices about the run as a whole.
            target: Where the output is going to be. The page, which can be sent, does not say that.
            added: Files that the migration has added.
            script: What starts the training, if the project can be run on a simulated device.

        Raises:
            OutputError: it cannot be written.
        """
        beside = tuple(name for kind, name in names.items() if kind not in _PAGES)
        known = self._facts(summary, notices)
        facts = attrs.evolve(
            known,
            notices=tuple(text.replace(shell_word(target), "$PWD") for text in known.notices),
            output=shown(target.name),
            script=script,
            reports=beside,
            launchers=tuple(name for name in added.names if name != added.environment),
            environment=added.environment,
        )
        with writing(directory):
            return write_pages(directory, (names["report"], names["report_diffs"]), facts, self._page)

    def put(self, request: PageRequest, summary: Summary, notices: tuple[Message, ...]) -> None:
        """Write the page where somebody wants it, and that of the differences beside it; each whole or not.
        Raises OutputError: it cannot be written."""
        path = request.path
        names = (path.name, f"{path.stem}_diffs{path.suffix}")
        known = self._facts(summary, notices)
        facts = attrs.evolve(known, analysis=request.analysis, work=request.work or known.work)
        with writing(path), tempfile.TemporaryDirectory(prefix=".gpu2ascend-", dir=path.parent) as name:
            aside = Path(name)
            for made in write_pages(aside, names, facts, self._page):
                (aside / made).replace(path.with_name(made))

    def close(self) -> None:
        """Forget what was collected."""
        self._page.close()

    def _facts(self, summary: Summary, notices: tuple[Message, ...]) -> RunFacts:
        options = self.run.options
        version = options.require_version()
        language = self._page.language
        obstacles = self.run.readiness.obstacles()
        found = sized_kernels(self.run.root, options.exclude, options.max_file_bytes)
        other = other_way(self.run)
        return RunFacts(
            project=self.run.root.name,
            tool=__version__,
            version=str(version),
            release=str(options.release),
            hardware=options.hardware.value,
            pair=pair_of(version),
            summary=summary,
            verdict=self.run.tally.verdict(summary),
            work=self.run.tally.work,
            route=options.route,
            notices=tuple(render(notice, language) for notice in notices),
            obstacles=tuple(render(obstacle, language) for obstacle in obstacles),
            kernels=kernel_chapter(found, Texts(language)) if found else None,
            ways=(WayFacts("report.way-of-run", summary, self._left.places), other) if other else (),
        )
