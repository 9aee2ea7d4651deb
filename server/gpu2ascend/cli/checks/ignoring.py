"""``check --add-ignore``: a comment at each finding that silences it."""

from __future__ import annotations

from collections.abc import Iterable

from ...project.examination import Examination
from ...project.paths import shown
from ..output.errors import EXIT_FINDINGS, EXIT_OK
from ..session import Session


def report_comments(checked: Iterable[Examination], session: Session) -> int:
    """Say how many comments were written, and what has no place for one.

    Returns:
        0 where every finding is silenced, 1 where one remains or a file could not be written.
    """
    comments, files, is_left = 0, 0, False
    for file in checked:
        written = 0 if file.kept or file.problem else sum(map(len, file.passes))
        comments += written
        files += bool(written)
        remaining = sum(not finding.is_advice for finding in file.findings)
        if remaining and not (file.problem or file.kept):
            session.warn(session.texts("cli.check.no_comment", path=shown(file.path), count=remaining))
        for message in (file.problem, file.kept):
            if message is not None:
                session.fail(f"{shown(file.path)}: {session.texts.of(message)}")
        is_left |= bool(remaining or file.problem or file.kept)
    session.out.line(session.texts("cli.check.comments", count=comments, files=files))
    return EXIT_FINDINGS if is_left else EXIT_OK
