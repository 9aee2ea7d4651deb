"""``check --fix --report``: the reports that a migration would write, beside the files that are fixed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from gpu2ascend_rules.options.options import MigrationOptions, option_infos

from ...project.in_place.reports import reports_aside
from ..output.progress import ProgressBar
from ..parsing.parser import ONLY_MIGRATE
from ..session import Session


@contextmanager
def reports_beside(project: Path, options: MigrationOptions, jobs: int, session: Session) -> Iterator[None]:
    """Make the reports before the files are fixed, put them beside the files afterwards, and name them.
    Raises ProjectError: the project cannot be migrated, or a migration wrote it."""
    texts = session.texts
    with ProgressBar(session.err, texts("cli.migrate.progress")) as bar:
        aside = reports_aside(
            project,
            _as_checked(options),
            jobs,
            texts.language,
            lambda done: bar.update(done.done, done.total, done.path),
        )
        with aside as put:
            bar.close()
            yield
            names = put()
    session.warn(texts("cli.migrate.reports", names=", ".join(names)))


def _as_checked(options: MigrationOptions) -> MigrationOptions:
    """The options without those of the project's settings on which a check does not act."""
    plain = MigrationOptions()
    others = (
        name
        for name, info in option_infos().items()
        if info.group in ONLY_MIGRATE or (info.commands and "check" not in info.commands)
    )
    return attrs.evolve(options, **{name: getattr(plain, name) for name in others})
