"""Work orders of a project, in a separate process: for an editor that hands them to an agent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions

from ...texts.catalogue import Texts
from ..files.places import input_directory
from ..handover.document import work_orders
from ..handover.left import Chosen
from ..handover.prompt import prompt_lines
from ..paths import shown
from ..processes.cancellable import CancellableProcess, Reporter
from .handover import handover_in


@attrs.frozen(kw_only=True)
class HandoverRequest:
    """A project, and what of it is wanted."""

    root: Path
    options: MigrationOptions
    contents: Mapping[str, str]
    """Texts that count in place of what the files hold, by path relative to the root."""
    chosen: Collection[Chosen] | None = None
    """The findings that are wanted; without them, all that are left to do."""
    language: str = "en"


class HandedOver(NamedTuple):
    """The orders as a document, and as a text for a chat."""

    document: dict[str, Any]
    prompt: str


class HandoverProcess:
    """One look. :meth:`cancel` may be called by any thread, before :meth:`run` too."""

    def __init__(self, request: HandoverRequest) -> None:
        self._process = CancellableProcess(_Job(request))

    def run(self, on_file: Callable[[str], None]) -> HandedOver:
        """Start the process and wait for it; ``on_file`` gets the path of every file, in this thread.
        Raises ProjectError: the folder cannot be read, or it was cancelled."""
        return self._process.run(on_file)

    def cancel(self) -> None:
        """End it."""
        self._process.cancel()


@attrs.frozen
class _Job:
    """What the process does."""

    request: HandoverRequest

    def __call__(self, reporter: Reporter) -> HandedOver:
        request = self.request
        texts = Texts(request.language, request.options.route)
        root = input_directory(request.root)
        handover = handover_in(
            root,
            request.options,
            texts,
            chosen=request.chosen,
            contents=request.contents,
            on_file=lambda path: reporter.send(shown(path)),
        )
        return HandedOver(work_orders(handover, texts), "\n".join(prompt_lines(handover, root, texts)))

    def died(self) -> Message:
        return Message.of("project.analysis-died", path=shown(self.request.root))
