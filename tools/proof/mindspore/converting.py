"""What becomes of each file of a package that uses torch: by the command line, and by importing it."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..projects import CACHE
from .packages import Package, unpacked

DONE, FINDINGS, LEFT, BROKEN, STOPPED = "done", "done with findings", "left", "broken", "stopped"
_REFUSED, _ERROR = 2, "gpu2ascend: error: "
_TORCH = re.compile(rb"^\s*(?:import|from)\s+torch\b", re.MULTILINE)


class Stopped(Exception):
    """The migration refuses a project before anything is written; its text says why."""


class Outcome(NamedTuple):
    """One file."""

    package: str
    file: str
    outcome: str
    unverified: list[str]
    """APIs whose counterparts were not compared by running both."""
    beside: list[str]
    """Modules of the package that it imports and that stay PyTorch's."""
    reasons: list[str]
    """APIs without a counterpart, or of which it is not certain whose they are; the most frequent first."""
    error: str = ""
    """What importing it raised, or why the migration of its package stopped."""


def outcomes(package: Package) -> list[Outcome]:
    """What becomes of each file of a package that uses torch.
    Raises RuntimeError: the migration did not end as one does."""
    try:
        document = _migrated(package)
    except Stopped as reason:
        return stopped(package.title, unpacked(package), str(reason))
    output = Path(document["output"])
    files = [one for one in document["files"] if one["path"].endswith(".py")]
    changed = [one["path"] for one in files if one["status"] == "changed" and not _left(one)]
    left = {one["path"]: _left(one) for one in files if _left(one)}
    errors = _imported(output, changed)
    unverified = _unverified(output)
    found = [
        Outcome(package.title, path, LEFT, [], [], _most(reasons)) for path, reasons in sorted(left.items())
    ]
    for path in changed:
        own, beside = _most(unverified.get(path, [])), sorted(_modules(output, path, set(left)))
        outcome = BROKEN if path in errors else FINDINGS if own or beside else DONE
        found.append(Outcome(package.title, path, outcome, own, beside, [], errors.get(path, "")))
    return sorted(found, key=lambda one: one.file)


def stopped(title: str, folder: Path, reason: str) -> list[Outcome]:
    """The outcomes of the files of a package that the migration stops at: nothing became of them."""
    files = sorted(path for path in folder.rglob("*.py") if _TORCH.search(path.read_bytes()))
    return [
        Outcome(title, path.relative_to(folder).as_posix(), STOPPED, [], [], [], reason) for path in files
    ]


def _migrated(package: Package) -> dict[str, Any]:
    target = CACHE / "results" / "mindspore" / f"{package.name}-{package.version}"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    command = [
        *(sys.executable, "-m", "gpu2ascend", "migrate", "--json", "--language", "en"),
        *("--target", "mindspore", "-i", str(unpacked(package)), "-o", str(target)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=target)
    refused = done.stderr.rpartition(_ERROR)[2].strip() if _ERROR in done.stderr else ""
    if done.returncode == _REFUSED and refused:
        raise Stopped(refused.partition(". ")[0])
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{package.title}: exit {done.returncode}: {done.stderr[-500:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _left(file: dict[str, Any]) -> list[str]:
    """What keeps a file from being converted."""
    return [one["api"] for one in file["remaining"] if one["code"] == "MS002" and one["api"]]


def _most(names: list[str]) -> list[str]:
    return [name for name, _ in sorted(Counter(names).items(), key=lambda one: (-one[1], one[0]))]


def _unverified(output: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    with (output / "supported_api.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if "not run and compared" in row["Tips"]:
                found.setdefault(row["File"], []).append(row["Api"])
    return found


def _modules(output: Path, path: str, left: set[str]) -> Iterator[str]:
    """The files among ``left`` that a file imports."""
    tree = ast.parse((output / path).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            package = path.split("/")[: -node.level] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            names = [module, *(f"{module}.{one.name}" for one in node.names)]
        for name in names:
            base = name.replace(".", "/")
            yield from (one for one in (f"{base}.py", f"{base}/__init__.py") if one in left and one != path)


def _imported(output: Path, files: list[str]) -> dict[str, str]:
    if not files:
        return {}
    command = [sys.executable, str(Path(__file__).with_name("importing.py")), str(output), *files]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=output, env=os.environ | {"GLOG_v": "4"}
    )
    if done.returncode != 0:
        return dict.fromkeys(files, done.stderr.strip()[-300:])
    errors: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return errors
