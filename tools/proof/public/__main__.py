"""``python -m tools.proof.public [NAME...]``: prints the table of public projects in docs/verify.md.

A project is migrated for the release that ``check`` reads it for, by its pins, and verified in an environment
that ``verify`` makes: one for each release, with the packages of all its projects. Needs the network,
and 2 GB for each release. Exit code 1: a result is not the one of the table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from gpu2ascend.project.options.version_detect import version_to_read
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

from ..migrations import migrated
from ..projects import CACHE, MissingProjectError, checked_out
from .tables import Project, changes, projects

SECONDS = 600.0
OPTIONS = MigrationOptions()


def main() -> int:
    """Run the command line."""
    chosen = [project for project in projects() if not sys.argv[1:] or project.name in sys.argv[1:]]
    sources, differs = _sources(chosen)
    releases = {project: version_to_read(sources[project], OPTIONS.hardware).version for project in sources}
    print("| project | release | command | changes | result | reported fault |\n|---|---|---|---|---|---|")
    packages = sorted({name for project in projects() for name in project.packages.split()})
    for project in sorted(sources, key=lambda project: releases[project]):
        release = releases[project]
        result = _verified(project, sources[project], release, packages)
        said, found = _said(result), _found(result)
        differs |= found != project.expected
        unlike = "" if found == project.expected else f" (not {project.expected})"
        ran = str(release) if result.torch_npu is not None else f"{release}, in Python"
        cells = (project.title, ran, f"`{project.command}`", changes(project), said, found + unlike)
        print(f"| {' | '.join(cells)} |", flush=True)
    return 1 if differs else 0


def _sources(chosen: list[Project]) -> tuple[dict[Project, Path], bool]:
    """Those that can be had, and whether any cannot, which is said."""
    found = {}
    for project in chosen:
        try:
            found[project] = _source(project)
        except (MissingProjectError, subprocess.CalledProcessError) as error:
            print(f"{project.name}: {error}", file=sys.stderr, flush=True)
    return found, len(found) < len(chosen)


def _source(project: Project) -> Path:
    """A copy of the project, with what it is prepared by."""
    target = CACHE / "public" / project.name / Path(project.folder or project.repository).name
    shutil.rmtree(target.parent, ignore_errors=True)
    whole = checked_out(project.repository, project.commit)
    shutil.copytree(whole / project.folder, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    if project.prepare:
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        env = {**os.environ, "PATH": path}
        subprocess.run(["sh", "-c", project.prepare], cwd=target, env=env, check=True, capture_output=True)
    return target


def _verified(project: Project, source: Path, release: Version, packages: list[str]) -> VerifyResult:
    document = migrated(source, source.parent / "migrated", str(release)).document
    root = Path(document["output"]).resolve()
    # One environment does for all projects of a release; what they list is what their packages are named for.
    (root / "requirements.txt").write_text("".join(f"{name}\n" for name in packages), encoding="utf-8")
    request = VerifyRequest(
        project=root,
        command=project.words,
        version=release,
        ranks=project.ranks,
        steps=project.steps,
        seconds=SECONDS,
        fakes_data=project.fakes_data,
    )
    return verify(request, OPTIONS, Listener(_tell, lambda number, line: None))


def _tell(message: Message) -> None:
    print(message, file=sys.stderr, flush=True)


def _said(result: VerifyResult) -> str:
    """How far it came, and what went wrong first."""
    ranks = f" on {len(result.ranks)} ranks" if len(result.ranks) > 1 else ""
    steps = f"{result.steps} of {result.asked_steps} steps{ranks}"
    failure = result.failure
    if failure is None:
        return f"{steps} on the CPU" if result.is_on_cpu else steps
    place = f"{failure.place.path}:{failure.place.line}: " if failure.place is not None else ""
    text = failure.text.partition("\n")[0][:100].replace("|", "/")
    rules = ", ".join(dict.fromkeys(rule.code for rule in failure.rules))
    return f"{steps}; {place}{failure.type}: {text}{f' ({rules})' if rules else ''}"


def _found(result: VerifyResult) -> str:
    """Whose fault it is; nothing where it trains."""
    if result.failure is None:
        return "" if result.is_passed else result.ending.value
    return result.failure.fault.value if result.failure.fault is not None else "not known"


if __name__ == "__main__":
    raise SystemExit(main())
