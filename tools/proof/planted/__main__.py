"""``python -m tools.proof.planted [PROJECT...]``: migrates public projects, plants mistakes, verifies.

Runs on torch_npu itself (x86-64 or aarch64). The network is used for the projects and, without ``--python``,
for the environment. Exit code 1: a project does not train without a mistake, or a mistake is not found in its
line with its cause.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

from gpu2ascend.verify.environment.emulation import Choice
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

from ..migrations import migrated
from ..projects import CACHE, MissingProjectError, checked_out
from .tables import Mistake, Project, mistakes, projects

VERSION = Version(2, 13, 0)
STEPS = 2
REQUIRED = "torchvision\ntensorboard\n"
"""What the projects import and do not all list: one environment does for all of them."""
SILENT = Listener(lambda message: None, lambda number, line: None)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.planted", description=__doc__)
    parser.add_argument("--python", type=Path, help="one that has all of it")
    parser.add_argument("projects", nargs="*", help="by name; all without")
    given = parser.parse_args()
    chosen = [project for name, project in projects().items() if not given.projects or name in given.projects]
    found = missed = 0
    for project in chosen:
        try:
            root = _migrated(project)
        except MissingProjectError as error:
            print(f"{project.name}: {error}", flush=True)
            missed += 1
            continue
        for said in _unlike_training(_run(project, root, given.python)):
            print(f"{project.name}: without a mistake: {said}", flush=True)
            missed += 1
        for mistake in (mistake for mistake in mistakes() if mistake.project == project.name):
            said = _outcome(project, mistake, root, given.python)
            print(f"{project.name}: {mistake.wrong.strip()}: {said or 'found'}", flush=True)
            found, missed = found + (not said), missed + bool(said)
    print(f"{found} of {len(mistakes())} mistakes found")
    return 1 if missed else 0


def _migrated(project: Project) -> Path:
    source = checked_out(project.repository, project.commit)
    document = migrated(source, CACHE / "planted" / project.name, str(VERSION)).document
    root = Path(document["output"]).resolve()
    (root / "requirements.txt").write_text(REQUIRED, encoding="utf-8")
    return root


def _run(project: Project, root: Path, python: Path | None) -> VerifyResult:
    request = VerifyRequest(
        project=root,
        command=project.command,
        version=VERSION,
        ranks=project.ranks,
        steps=STEPS,
        python=python,
        device=Choice.EMULATED,
        fakes_data=True,
        runs_original=False,
    )
    return verify(request, MigrationOptions(), SILENT)


def _unlike_training(result: VerifyResult) -> Iterator[str]:
    if result.exit_code:
        yield f"exit code {result.exit_code}, {result.failure}"


def _outcome(project: Project, mistake: Mistake, root: Path, python: Path | None) -> str:
    """What is not as it should be of a run with the mistake; nothing where it is found."""
    path = root / mistake.file
    kept = path.with_name(f"{path.name}.kept")
    shutil.copy2(path, kept)
    try:
        path.write_text(mistake.planted(path.read_text(encoding="utf-8")), encoding="utf-8")
        shown_in = mistake.shown_in or mistake.file
        expected = shown_in, mistake.line((root / shown_in).read_text(encoding="utf-8"))
        return _difference(mistake, expected, _run(project, root, python))
    finally:
        kept.replace(path)


def _difference(mistake: Mistake, expected: tuple[str, int], result: VerifyResult) -> str:
    failure = result.failure
    if failure is None or failure.place is None:
        return f"exit code {result.exit_code}, {failure}"
    said = f"{failure.type}: {failure.text[:200]}"
    if (failure.place.path, failure.place.line) != expected:
        return f"{failure.place} instead of {expected}: {said}"
    cause = failure.cause.id.split(".")[2] if failure.cause is not None else None
    if cause != mistake.cause:
        return f"cause {cause} instead of {mistake.cause}: {said}"
    if mistake.rule and not any(rule.code.startswith(mistake.rule) for rule in failure.rules):
        return f"rules {[rule.code for rule in failure.rules]} instead of {mistake.rule}: {said}"
    return ""


if __name__ == "__main__":
    raise SystemExit(main())
