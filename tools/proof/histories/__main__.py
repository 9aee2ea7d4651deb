"""``python -m tools.proof.histories FOLDER WORK [PYTHON]``: updates over half a year of each repository.

FOLDER has a repository in each of its folders, bare or not. The project is migrated as it was half a year
before its last commit, edited in WORK as by hand, and updated to the last commit. Each conflict is held
against git's ``merge-file`` of the same three texts. With PYTHON, which has torch and what the projects
require, the fresh and the merged project are trained for three steps by ``verify``. Prints the tables of
docs/upstream.md.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from gpu2ascend.project.manifest.base import Base, read_base
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.merge import Deletions, Merge, UpdateRequest
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from

from .hands import Hands
from .verified import compared, resolved, verify

DAYS = 182
EDITED = 40
"""Files that are edited by hand in each project."""
COLUMNS = (
    "project | from | to | files | changed upstream | edits by hand | lost | merged | conflicts | removed "
    "| other | not in git | broken | fresh | update"
)


class Row(NamedTuple):
    """What is shown of a project."""

    project: str
    old: str
    new: str
    files: int
    changed: int
    """Python files that upstream changed, added or removed."""
    by_hand: int
    lost: int
    merged: int
    conflicts: int
    """Files with lines that both sides changed."""
    removed: int
    """Files that were edited by hand, and that upstream removed."""
    other: int
    """Any other conflict."""
    more_than_git: int
    """Files with a conflict that git merges without one."""
    unparsable: int
    """Merged files that do not parse, although both sides do."""
    fresh: float
    update: float


def git(repository: Path, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints."""
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, input=given).stdout


def commits(repository: Path) -> tuple[str, str]:
    """The commit half a year before the last one, and the last one."""
    new = git(repository, "rev-parse", "HEAD").decode().strip()
    last = int(git(repository, "show", "-s", "--format=%ct", new))
    before = str(last - DAYS * 86_400)
    return git(
        repository, "rev-list", "-1", "--first-parent", f"--before={before}", new
    ).decode().strip(), new


def export(repository: Path, commit: str, target: Path) -> None:
    """The files of a commit; a copy of a repository may lack large ones."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    rows = [row.split(b"\t", 1) for row in git(repository, "ls-tree", "-r", "-z", commit).split(b"\0") if row]
    files = [(head.split()[2], name.decode()) for head, name in rows if head.startswith(b"100")]
    asked = b"".join(number + b"\n" for number, _ in files)
    answers = BytesIO(git(repository, "cat-file", "--batch", given=asked))
    for _, name in files:
        head = answers.readline().split()
        if head[1] != b"blob":
            continue
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(answers.read(int(head[2])))
        answers.read(1)


def examined(repository: Path, work: Path, python: str | None) -> tuple[Row, tuple[str, str]]:
    """Migrate, edit, update; also what becomes of a training."""
    old, new = commits(repository)
    name = repository.parent.name if repository.name in ("repo", ".git") else repository.name
    root, out = work / name / "project", work / name / "out"
    shutil.rmtree(work / name, ignore_errors=True)
    export(repository, old, root)
    options = options_from({"version": "2.8.0"})
    made = migrate(MigrationRequest(input=root, output=out, options=options, jobs=1))
    output = out / "project_msft"
    diff = (
        git(repository, "diff", "--name-only", "--no-renames", old, new, "--", "*.py").decode().splitlines()
    )
    hands = Hands(output, name.split("+")[-1])
    present = [path for path in diff if (output / path).is_file()]
    hands.edit(present, EDITED)
    hands.add()
    untouched = [path.relative_to(output).as_posix() for path in output.rglob("*.py")]
    modules = (path for path in untouched if not path.endswith("__init__.py"))
    hands.move(sorted(set(modules) - set(diff) - {"by_hand.py"})[0])
    before = work / name / "before"
    shutil.copytree(output, before, symlinks=True)
    export(repository, new, root)
    start = time.process_time()
    migrate(MigrationRequest(input=root, output=work / name / "fresh", options=options, jobs=1))
    middle = time.process_time()
    request = UpdateRequest(output, Deletions.FOLLOW)
    result = migrate(MigrationRequest(input=root, output=out, options=options, update=request, jobs=1))
    end = time.process_time()
    merge = result.merge
    assert merge is not None
    fresh = work / name / "fresh" / "project_msft"
    short = name.split("+")[-1]
    runs = ("", "")
    if python is not None:
        own = resolved(output, work / name / "resolved" / "project_msft")
        runs = compared(*(verify(place, short, python) for place in (fresh, own)))
    row = Row(
        name.replace("+", "/"),
        old[:9],
        new[:9],
        made.summary.files,
        len(diff),
        len(hands.words),
        len(hands.lost()),
        len(merge.merged),
        *reasons(merge),
        len(more_than_git(merge, read_base(before), before, fresh)),
        len(broken(merge, output, before, fresh)),
        middle - start,
        end - middle,
    )
    return row, runs


def reasons(merge: Merge) -> tuple[int, int, int]:
    """Conflicts by their reason."""
    found = Counter(conflict.reason.id for conflict in merge.conflicts)
    lines, removed = found.pop("update.conflict-lines", 0), found.pop("update.conflict-gone", 0)
    return lines, removed, found.total()


def more_than_git(merge: Merge, base: Base, before: Path, fresh: Path) -> list[str]:
    """Files in which lines are in conflict, and git finds none."""
    found = []
    for conflict in merge.conflicts:
        path = conflict.path
        if not conflict.lines or path not in base.entries or not (fresh / path).is_file():
            continue
        place = before.parent / "base.txt"
        place.write_bytes(base.text(path) or b"")
        command = ["git", "merge-file", "-p", str(before / path), str(place), str(fresh / path)]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            found.append(path)
    return found


def broken(merge: Merge, output: Path, before: Path, fresh: Path) -> list[str]:
    """Merged files that do not parse, although both sides do."""
    merged = [path for path in merge.merged if path.endswith(".py") and (before / path).exists()]
    sides = [path for path in merged if parses(before / path) and parses(fresh / path)]
    return [path for path in sides if not parses(output / path)]


def parses(path: Path) -> bool:
    """Whether a file is Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError, OSError):
            return False
    return True


def line(values: Sequence[object]) -> str:
    """A row of a table."""
    cells = [f"{value:.1f} s" if isinstance(value, float) else str(value) for value in values]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables."""
    folder, work, python = Path(sys.argv[1]), Path(sys.argv[2]), next(iter(sys.argv[3:]), None)
    print(f"| {COLUMNS} |\n|{'---|' * len(Row._fields)}", flush=True)
    trained = []
    for place in sorted(folder.iterdir()):
        repository = place / "repo" if (place / "repo").is_dir() else place
        row, runs = examined(repository, work, python)
        print(line(row), flush=True)
        trained.append((row.project, *runs))
    print("\n| project | fresh | merged |\n|---|---|---|", *map(line, trained), sep="\n")


if __name__ == "__main__":
    main()
