"""``migrate --in-place`` on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..project.in_place.in_place import Branch, InPlace
from ..texts.catalogue import Texts
from ..texts.plain_data import plain_data


def in_place_request(namespace: argparse.Namespace) -> InPlace | None:
    """How a work tree is to be migrated; None where that was not asked for."""
    if not namespace.in_place:
        return None
    return InPlace(
        namespace.branch, bool(namespace.one_commit), namespace.since, hooks=bool(namespace.run_hooks)
    )


def branch_lines(branch: Branch, texts: Texts) -> Iterator[str]:
    """The branch and its commits."""
    if not branch.commits:
        yield texts("cli.migrate.nothing_to_commit")
    else:
        yield texts("cli.migrate.branch", name=branch.name, commits=len(branch.commits), files=branch.files)
    yield from (f"  {made.number[:10]} {made.subject}" for made in branch.commits)
    if branch.left_alone:
        yield texts("cli.migrate.ignored", count=len(branch.left_alone), names=", ".join(branch.left_alone))


def branch_json(branch: Branch | None) -> dict[str, Any] | None:
    """The same for programs."""
    if branch is None:
        return None
    return {**plain_data(branch), "name": branch.name if branch.commits else None}
