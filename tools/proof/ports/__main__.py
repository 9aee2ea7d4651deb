"""``python -m tools.proof.ports CLONES``: of the places of public ports, how many are told or edited.

``CLONES`` holds git clones of the repositories of ``ports.tsv`` and of Ascend/DrivingSDK, each named
``owner+name`` (with its git directory there or in ``repo`` below). The originals are checked as they were; a
place is told where a finding about its subject is on one of its lines or, for advice, which says once how
many places a function has, in its function. Prints the table of docs/advice.md.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

from ...archives import unpack
from ..projects import CACHE
from .functions import spans
from .places import Place, places, rows

SOURCE = "Ascend/DrivingSDK"
COMMIT = "e667017e"
VERSION = "2.7.1"
KINDS = (".py", ".sh", ".cpp", ".cu", ".txt", ".md")
"""What is looked at of an original: a clone may lack its largest files."""
NEAR = 1
"""Lines around a place in which a finding is about it, as of a call that begins the line before."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.ports", description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--missed", action="store_true", help="also print the places that are not told")
    parsed = parser.parse_args(arguments)
    total: Counter[tuple[str, str]] = Counter()
    reported: Counter[tuple[str, str]] = Counter()
    for row in rows("ports"):
        patch = _git(parsed.clones, SOURCE, "show", f"{COMMIT}:model_examples/{row['patch']}")
        project = _original(parsed.clones, row["repository"], row["commit"])
        found = _findings(project)
        for place in places(patch.decode("utf-8", "replace")):
            if not (project / place.path).is_file():
                continue
            key = (place.subject.group, place.subject.name)
            total[key] += 1
            if _is_reported(place, project / place.path, found.get(place.path, [])):
                reported[key] += 1
            elif parsed.missed:
                print(f"{key[0]} {key[1]}: {project / place.path}:{place.first}-{place.last}")
    print("\n".join(_table(total, reported)))
    return 0


def _git(clones: Path, repository: str, *command: str) -> bytes:
    clone = clones / repository.replace("/", "+")
    directory = next(path for path in (clone / "repo", clone / ".git", clone) if path.is_dir())
    return subprocess.run(["git", f"--git-dir={directory}", *command], capture_output=True, check=True).stdout


def _original(clones: Path, repository: str, commit: str) -> Path:
    """A repository at a commit, as files."""
    target = CACHE / "ports" / repository.replace("/", "+")
    if not target.is_dir():
        names = _git(clones, repository, "ls-tree", "-r", "--name-only", commit).decode().splitlines()
        read = [name for name in names if name.endswith(KINDS)]
        archive = _git(clones, repository, "archive", commit, *read)
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            unpack(packed, target)
    return target


def _findings(project: Path) -> dict[str, list[tuple[int, str]]]:
    """The lines of the findings of each file, with their codes."""
    command = [sys.executable, "-I", "-m", "gpu2ascend", "check", str(project), "-v", VERSION]
    done = subprocess.run([*command, "--output-format", "json"], capture_output=True, text=True, check=False)
    found: dict[str, list[tuple[int, str]]] = {}
    for item in json.loads(done.stdout):
        path = Path(item["filename"]).resolve().relative_to(project.resolve()).as_posix()
        found.setdefault(path, []).append((item["location"]["row"], item["code"]))
    return found


def _is_reported(place: Place, file: Path, found: list[tuple[int, str]]) -> bool:
    codes = place.subject.codes
    about = [(line, code) for line, code in found if codes == {"*"} or code in codes]
    if any(place.first - NEAR <= line <= place.last + NEAR for line, _ in about):
        return True
    advised = [line for line, code in about if code.startswith("ADV")]
    around = [span for span in spans(file) if span[0] <= place.first <= span[1]] if advised else []
    return any(first <= line <= last for first, last in around[-1:] for line in advised)


def _table(total: Counter[tuple[str, str]], reported: Counter[tuple[str, str]]) -> list[str]:
    lines = ["| group | subject | places | told or edited |", "|---|---|--:|--:|"]
    for key in sorted(total):
        lines.append(f"| {key[0]} | {key[1]} | {total[key]} | {reported[key]} |")
    for group in ("A", "B"):
        count = sum(number for key, number in total.items() if key[0] == group)
        seen = sum(number for key, number in reported.items() if key[0] == group)
        lines.append(f"| {group} | **all** | {count} | {seen} ({seen * 100 // max(count, 1)} %) |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
