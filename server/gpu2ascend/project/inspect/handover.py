"""What is left of a project, as orders; also in a separate process, for an editor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.options.options import MigrationOptions

from ...texts.catalogue import Texts
from ..files.places import input_directory
from ..handover.document import Handover, handover_of, prompt_lines, with_one, work_orders
from ..handover.earlier import NOTHING, earlier_of
from ..handover.left import Chosen
from ..handover.orders import Causes
from ..manifest.marker import read_marker
from ..paths import shown
from ..processes.cancellable import FolderWork, Reporter
from .check import check_paths


def migrated_directory(directory: Path) -> Path:
    """The migrated project that a directory is or, as the only one, holds; else the directory itself."""
    if read_marker(directory) is not None or not directory.is_dir():
        return directory
    inside: list[Path] = []
    with suppress(OSError):  # what looks at it next says so
        inside += [path for path in directory.iterdir() if path.is_dir() and read_marker(path) is not None]
    return inside[0] if len(inside) == 1 else directory


def handover_in(
    directory: Path,
    options: MigrationOptions,
    texts: Texts,
    *,
    chosen: Collection[Chosen] | None = None,
    order: str | None = None,
    contents: Mapping[str, str] | None = None,
    jobs: int = 0,
    on_file: Callable[[str], None] = lambda path: None,
) -> Handover:
    """Look at a project as it is now.

    Args:
        options: With a version.
        chosen: The findings that are wanted; without them, all that are left to do.
        order: The id of the one order that is wanted; without it, all.
        contents: What counts in place of what files hold, by path relative to the directory.
        on_file: Called with the path of each file that was looked at.

    Raises:
        InputError: the directory does not exist or cannot be listed.
    """
    causes = Causes(directory)
    only = {item.path for item in chosen or ()}
    checked = check_paths(
        [directory],
        options,
        proves=chosen is not None,
        jobs=jobs,
        language=texts.language,
        texts=contents,
        only=only,
    )
    with closing(checked):
        for file in checked:
            on_file(file.path)
            causes.add_file(file, chosen)
    marker = read_marker(directory)
    source, torch = (marker.source, marker.torch) if marker is not None else (None, None)
    recorded = earlier_of(directory)
    earlier = recorded if chosen is None else NOTHING
    handover = handover_of(
        causes,
        options,
        texts,
        source,
        earlier,
        has_version=torch == str(options.version),
        recorded=recorded.names,
    )
    return handover if order is None else with_one(handover, order, earlier)


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
