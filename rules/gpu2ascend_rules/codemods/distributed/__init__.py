"""The distributed rule: a script for one device becomes one that also runs in several processes.

:func:`distribute` looks at the whole program behind an entry script and gives, file by file, the text and
the findings. Each step is a module of this package or of one below it (``data``, ``model``, ``processes``)
and has its own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tree_sitter import Node

from ...model.finding import Severity
from ...model.project.project_view import ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ..change import Change, first_line, reported_only
from ..outcome import CodemodOutcome, carried_out
from ..program import Place
from .advice import advise
from .agreement.closures import agree_on_losses
from .agreement.decisions import agree_on_decisions
from .agreement.figures import reduce_figures
from .agreement.gathered import say_gathered
from .agreement.losses import say_losses
from .data.epochs import set_epochs
from .data.loaders import share_data
from .data.loops import backward_calls, training_loops
from .devices import use_own_device
from .emptied import without_emptied_functions
from .job import Job
from .model.state import unwrap_uses
from .model.target import Target, find_target
from .model.wrapping import wrap_models, wrapped_at
from .processes import recognition
from .processes.downloads import download_once
from .processes.journals import guard_journals
from .processes.main_path import join_and_leave
from .processes.main_process import computed_apart, guard_reports
from .processes.parallel import remove_data_parallel
from .processes.splits import say_unseeded_splits
from .processes.waiting import wait_for_files

NO_LOOP = "NPU421"


class ModelNotFoundError(Exception):
    """The program has no variable of the name that the user gave for the model."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(name)


def distribute(entry: SourceFile, options: MigrationOptions, project: ProjectView) -> CodemodOutcome:
    """What becomes of the files of a program that is to run in several processes.

    A program that does so already is left to the rules, which change its back end and its devices.

    Raises:
        ModelNotFoundError: no file of the program assigns the model variable of the options.
    """
    job = Job(entry, options, project)
    sign = next(recognition.distributed_signs(job.program), None)
    if sign is not None:
        change = reported_only(
            recognition.CODE, "recognized", sign, Severity.INFORMATION, text=sign.text[:60]
        )
        return carried_out(job.program, job.ignoring.honoured([change]), lambda file, text: ())
    targets = _targets(job)
    changes = list(job.ignoring.honoured(_changes(job, targets)))
    return carried_out(job.program, changes, lambda file, text: job.names(file).operations(text))


def _targets(job: Job) -> list[Target]:
    targets: list[Target] = []
    for name in (part.strip() for part in job.options.target_model.split(",")):
        target = find_target(job, name)
        if target is None:
            raise ModelNotFoundError(name)
        targets.append(target)
    return targets


def _changes(job: Job, targets: list[Target]) -> Iterator[Change]:
    job.names(job.program.entry).reserve_main_path()
    loops = training_loops(job.program, job.origins)
    anchors: list[tuple[Target, Node | None]] = [(item, wrapped_at(job, item, loops)) for item in targets]
    data = list(share_data(job, loops))
    shared = {change.place.key for change in job.ignoring.honoured(data) if change.operations}
    if not loops:
        yield _without_loop(job)
    changes = [
        *data,
        *chain(
            set_epochs(job, loops, shared),
            wrap_models(job, targets, loops),
            remove_data_parallel(job),
            *(unwrap_uses(job, target, anchor) for target, anchor in anchors),
            guard_reports(job),
            guard_journals(job),
            download_once(job),
            wait_for_files(job),
            say_unseeded_splits(job),
            use_own_device(job),
            agree_on_decisions(job, loops, targets),
            agree_on_losses(job),
            *([say_losses(job, targets)] if shared else []),
            reduce_figures(job, loops, shared),
            say_gathered(job, loops, shared),
            advise(job, loops, shared),
        ),
    ]
    changes = without_emptied_functions(job, list(computed_apart(changes)))
    yield from join_and_leave(job, changes)
    yield from changes


def _without_loop(job: Job) -> Change:
    """Nothing goes through loaders on the way to the training, or nothing trains."""
    backward = next(backward_calls(job.program), None)
    if backward is not None:
        text = first_line(backward.text)
        return reported_only(NO_LOOP, "no_batches", backward, Severity.ERROR, text=text)
    return reported_only(NO_LOOP, "no_loop", Place(job.program.entry, job.program.entry.root), Severity.ERROR)
