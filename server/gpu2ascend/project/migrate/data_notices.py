"""How much data a project has, and what becomes of it: told before anything is copied."""

from __future__ import annotations

from collections.abc import Iterator

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import LargeFiles, MigrationOptions, option_name

from ..files.discover import is_much
from ..index.survey import Survey
from ..paths import shown, size_text


def data_notices(survey: Survey, options: MigrationOptions) -> Iterator[Message]:
    """The large files, which are linked, and folders of small ones that are much together."""
    large, small = survey.large, survey.small
    if large.number:
        links = options.large_files is LargeFiles.LINK
        more = ["…"] if large.number > len(large.names) else []
        yield Message.of(
            "project.large-linked" if links else "project.large-copied",
            count=large.number,
            size=size_text(large.size),
            names=", ".join([*map(shown, large.names), *more]),
            option=option_name("large_files"),
        )
    if is_much(small.size):
        yield Message.of(
            "project.small-copied",
            count=small.number,
            size=size_text(small.size),
            folders=", ".join(f"{shown(name)} ({size_text(size)})" for name, size in small.folders),
            option=option_name("exclude"),
        )
