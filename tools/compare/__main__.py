"""``make compare BASE=<commit>``: what the working tree finds and fixes otherwise than a commit, by rule.

Both examine the same programs, those of the working tree: a share of those that differ in one point from an
example of a rule or a sample, real projects that pip downloads once, and the projects of given folders. The
exit status is 0 where nothing differs, 1 where something does, and 2 where they cannot be compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from .differences import differences
from .outcomes import read
from .page import Found, Page
from .sides import Side, SideError, answers, checked_out, working_tree
from .tasks import PACKAGES, TARGETS, Task, below, near_programs, of_folders, of_programs, packages

ROOT = Path(__file__).parents[2]
_STEP = 500
"""After how many programs to say how far it is."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    given = _parser().parse_args(arguments)
    page = Page(given.examples)
    try:
        tasks = list(_tasks(given))
        with tempfile.TemporaryDirectory() as folder:
            base = checked_out(ROOT, given.base, Path(folder))
            _compare(base, working_tree(ROOT), tasks, page)
    except SideError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print("\n".join(page.lines(len(tasks))))
    return 0 if page.is_empty else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make compare", description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--share", type=float, default=0.2, help="part of the programs, from 0 to 1 (0.2)")
    parser.add_argument("--seed", type=int, default=0, help="which of the programs (0)")
    parser.add_argument("--group", help="only programs of a rule, by its code, or of a sample; no projects")
    parser.add_argument("--examples", type=int, default=3, help="how many to show of each kind (3)")
    parser.add_argument(
        "--targets", type=_targets, default=TARGETS[:1], help=f"some of {','.join(TARGETS)} ({TARGETS[0]})"
    )
    parser.add_argument("--no-network", action="store_true", help="without the projects that pip downloads")
    parser.add_argument(
        "--projects", type=_folders, default=(), help="folders of projects, with colons between them"
    )
    return parser


def _targets(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if not set(names) <= set(TARGETS):
        raise argparse.ArgumentTypeError(f"{text} is not of {', '.join(TARGETS)}")
    return names


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(name) for name in text.split(":") if name)


def _tasks(given: argparse.Namespace) -> Iterator[Task]:
    _say("making the programs")
    programs = near_programs(ROOT, given.share, given.seed, given.group)
    folders: list[Path] = []
    if not given.group and not given.no_network:
        folders, problems = packages(PACKAGES)
        for problem in problems:
            _say(f"note: {problem}")
    folders += below(given.projects)
    for target in given.targets:
        yield from of_programs(programs, target)
    for target in given.targets:
        yield from of_folders(folders, target)


def _compare(base: Side, head: Side, tasks: Sequence[Task], page: Page) -> None:
    with closing(answers(base, head, [task.document for task in tasks])) as answered:
        for number, (task, (before, after)) in enumerate(zip(tasks, answered, strict=True)):
            if before != after:
                for difference in differences(read(before), read(after)):
                    page.add(Found(task.name, difference))
            if number % _STEP == 0 or '"folder":' in task.document[:12]:
                _say(f"{number + 1:,} of {len(tasks):,}: {task.name}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
