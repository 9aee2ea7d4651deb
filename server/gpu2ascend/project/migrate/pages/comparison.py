"""Two ways of reaching a target, compared by what each changes and leaves in this project."""

from __future__ import annotations

from typing import Any

import attrs

from gpu2ascend_rules.model.finding import Severity

from ...files.silenced import SilencedByProject
from ...paths import shown
from ...report.html.model import WayFacts
from ...report.result import FileOutcome
from ...report.tally import Tally
from ...report.unexamined import Unexamined
from ..codemods import planned_codemods
from ..readiness import Readiness
from ..run import Run

_LEFT = (Severity.ERROR, Severity.WARNING)


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
        tally=Tally(run.tally.entries, left_out=len(run.programs.unread)),
        unexamined=Unexamined(),
        silenced=SilencedByProject(options),
        page=None,
        matched=set(),
        needed=set(),
    )
    return WayFacts("report.way-of-code", other.carry_out(None, None), left.places)
