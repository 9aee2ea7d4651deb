"""Work orders of a project, in a separate process: for an editor that hands them to an agent."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import attrs

from ...texts.catalogue import Texts
from ..files.places import input_directory
from ..handover.document import work_orders
from ..handover.left import Chosen
from ..handover.prompt import prompt_lines
from ..paths import shown
from ..processes.cancellable import FolderWork, Reporter
from .handover import handover_in


class HandedOver(NamedTuple):
    """The orders as a document, and as a text for a chat."""

    document: dict[str, Any]
    prompt: str


@attrs.frozen(kw_only=True)
class HandoverWork(FolderWork):
    """The work; the path of each file is reported."""

    contents: Mapping[str, str]
    """Texts that count in place of what the files hold, by path relative to the root."""
    chosen: Collection[Chosen] | None = None
    """The findings that are wanted; without them, all that are left to do."""
    language: str = "en"

    def __call__(self, reporter: Reporter) -> HandedOver:
        texts = Texts(self.language, self.options.route)
        root = input_directory(self.root)
        handover = handover_in(
            root,
            self.options,
            texts,
            chosen=self.chosen,
            contents=self.contents,
            on_file=lambda path: reporter.send(shown(path)),
        )
        return HandedOver(work_orders(handover, texts), "\n".join(prompt_lines(handover, root, texts)))
