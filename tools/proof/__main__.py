"""``python -m tools.proof``: migrates every project, checks what must hold, and draws the sample to be read.

Into the folder of results go the output and the result document of each migration, ``causes.json`` with all
that is left to a person, and ``sample.tsv``, whose empty verdicts a reviewer fills in; filled in, it is
``judgements.tsv`` beside this module, from which ``python -m tools.proof --page`` writes docs/precision.md
and its Chinese twin.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from .causes import Cause, causes_of
from .judgements import judgements, sample, write
from .migrations import VERSIONS, migrated
from .page import LANGUAGES, Run, page
from .projects import CACHE, projects, unpacked

RESULTS = CACHE / "results"
RUNS = Path(__file__).with_name("runs.json")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the pages docs/precision*.md")
    parser.add_argument("--per-rule", type=int, default=6, help="causes of a rule in the sample (6)")
    parser.add_argument("names", nargs="*", help="projects, by name; all without")
    parsed = parser.parse_args(arguments)
    if not parsed.page:
        causes, runs = _all_runs(parsed.names)
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "causes.json").write_text(json.dumps([cause._asdict() for cause in causes], indent=1))
        write(sample(causes, parsed.per_rule), RESULTS / "sample.tsv")
        if not parsed.names:
            RUNS.write_text(json.dumps([run._asdict() for run in runs], indent=1) + "\n", encoding="utf-8")
        return 1 if any(run.violations for run in runs) else 0
    runs = [Run(**run) for run in json.loads(RUNS.read_text(encoding="utf-8"))]
    for language in LANGUAGES:
        language.page.write_text(page(runs, judgements(), language), encoding="utf-8")
    return 0


def _all_runs(names: list[str]) -> tuple[list[Cause], list[Run]]:
    causes: list[Cause] = []
    runs: list[Run] = []
    for project in projects():
        if names and project.name not in names:
            continue
        source = unpacked(project)
        for version in VERSIONS:
            done = migrated(source, RESULTS / version / project.title, version)
            found = causes_of(project.title, done.document)
            causes += found
            by_code: dict[str, int] = {}
            for cause in found:
                by_code[cause.code] = by_code.get(cause.code, 0) + 1
            summary = done.document["summary"]
            runs.append(
                Run(
                    project=project.title,
                    field=project.field,
                    version=version,
                    files=summary["python_files"],
                    changed=summary["changed_files"],
                    edits=summary["edits"],
                    findings=summary["left_to_you"],
                    causes=dict(sorted(by_code.items())),
                    violations=list(done.violations),
                )
            )
            print(
                f"{project.title} {version}: {len(found)} causes; {len(done.violations)} violations",
                flush=True,
            )
            for violation in done.violations:
                print(f"  {violation}", flush=True)
    return causes, runs


if __name__ == "__main__":
    raise SystemExit(main())
