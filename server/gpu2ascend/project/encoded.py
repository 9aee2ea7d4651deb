"""An examined file in the encoding that it came in: the bytes to write, or why there are none."""

from __future__ import annotations

import attrs

from .examination import Examination
from .files.content.encoding import NotTextError, SourceText, encode, is_exact
from .report.result import FileStatus


def encoded(done: Examination, text: SourceText, given: bytes) -> Examination:
    """The result with the bytes to write, in the encoding of the given ones.

    A new text that the file's encoding cannot hold is given up: the file then stays as it was.
    """
    if done.text is None or done.before is None:
        return done if not done.findings else attrs.evolve(done, can_be_written=_can_be_written(text, given))
    try:
        return attrs.evolve(done, data=encode(done.text, text, given))
    except NotTextError as error:
        status, problem = FileStatus.UNDECODABLE, error.message
        return Examination(
            path=done.path,
            status=status,
            text=done.before,
            problem=problem,
            matched=done.matched,
            can_be_written=False,
        )


def _can_be_written(text: SourceText, given: bytes) -> bool:
    try:
        return is_exact(text, given)
    except (UnicodeError, ValueError):
        return False
