"""``python -m tools.proof.other_kinds [FOLDER ...]``: what a migration does to files that are not Python.

Looked at are the projects of the proof, and folders with the sources of others, which are named like
``owner+name@commit``. Every line that changes becomes a row of ``other_edits.tsv`` beside this module, whose
verdict a reviewer fills in (``right`` or ``wrong``); verdicts that are there are kept.
``other_findings.tsv`` counts files and findings. From both comes the table in docs/configurations.md. The
files of other kinds alone are examined, with what the Python files of the project say of them.
"""

from __future__ import annotations

import argparse
import csv
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.files.discover import EntryKind, walk
from gpu2ascend.project.files.excludes import Excludes
from gpu2ascend.project.index.facts.file_facts import facts_below
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.kinds.registry import kind_of
from gpu2ascend_rules.options.options import options_from

from .marked import with_part
from .projects import projects, unpacked

VERSION = "2.8.0"
EDITS = Path(__file__).with_name("other_edits.tsv")
FINDINGS = Path(__file__).with_name("other_findings.tsv")
DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "configurations.md", DOCS / "configurations.zh-CN.md")
MARKS = ("<!-- other kinds: begin -->\n", "<!-- other kinds: end -->\n")
VERDICTS = ("right", "wrong")


class Changed(NamedTuple):
    """Lines of a file that a migration changed, and what a reviewer says of it."""

    project: str
    kind: str
    path: str
    line: int
    before: str
    after: str
    verdict: str = ""


class Counted(NamedTuple):
    """How many files of a kind a project has, and what was found in them."""

    project: str
    kind: str
    files: int
    findings: int


def changed_lines(project: str, kind: str, path: str, before: str, after: str) -> Iterator[Changed]:
    """The groups of lines that differ between two texts of a file."""
    old, new = before.splitlines(), after.splitlines()
    for tag, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            texts = (" ⏎ ".join(part).replace("\t", " ") for part in (old[first:last], new[start:end]))
            yield Changed(project, kind, path, first + 1, *texts)


def kind_name(path: str, file: Path) -> str:
    """The kind of a file beside Python; empty for one of none."""
    try:
        with file.open("rb") as stream:
            head = stream.read(200)
    except OSError:
        return ""
    kind = kind_of(path, head.decode("utf-8", "replace")) if b"\0" not in head else None
    return kind.name if kind is not None else ""


def of_project(project: str, source: Path) -> tuple[list[Changed], list[Counted]]:
    """What a migration makes of the files of other kinds of a project."""
    view = ProjectFiles(source, facts_below(source))
    request = Request(options=options_from({"version": VERSION}), fix=True)
    changed: list[Changed] = []
    files: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    for entry in walk(source, Excludes(())):
        kind = kind_name(entry.path, source / entry.path) if entry.kind is EntryKind.TEXT else ""
        if not kind:
            continue
        done = examine(entry.path, (source / entry.path).read_bytes(), request, view)
        files[kind] += 1
        findings[kind] += len(done.findings)
        if done.before is not None and done.text is not None:
            changed += changed_lines(project, kind, entry.path, done.before, done.text)
    return changed, [Counted(project, kind, files[kind], findings[kind]) for kind in sorted(files)]


def edits() -> list[Changed]:
    """The rows of the table of edits. Raises ValueError: a verdict is none."""
    rows = _rows()
    for row in rows:
        if row.verdict not in VERDICTS:
            raise ValueError(f"no verdict: {row}")
    return rows


def counts() -> list[Counted]:
    """The rows of the table of files and findings."""
    return [
        Counted(row["project"], row["kind"], int(row["files"]), int(row["findings"]))
        for row in _read(FINDINGS)
    ]


def table(changed: Iterable[Changed], counted: Iterable[Counted]) -> str:
    """The table of docs/configurations.md: by kind, and all of it."""
    changed, counted = list(changed), list(counted)
    rows = ["| kind | projects | files | changes | wrong changes | findings |", "|---|---|---|---|---|---|"]
    kinds = sorted({row.kind for row in counted})
    for kind in [*kinds, ""]:
        edits_of = [row for row in changed if kind in ("", row.kind)]
        found = [row for row in counted if kind in ("", row.kind)]
        wrong = sum(row.verdict == "wrong" for row in edits_of)
        cells = (
            kind or "all", len({row.project for row in found}), sum(row.files for row in found),
            len(edits_of), wrong, sum(row.findings for row in found),
        )  # fmt: skip
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows) + "\n"


def with_table(page: str, made: str) -> str:
    """A page with the table between its marks."""
    return with_part(page, MARKS, made)


def judged(found: Iterable[Changed], known: Iterable[Changed]) -> list[Changed]:
    """Changes with the verdicts that stand in a table for the same change."""
    verdicts = {row._replace(line=0, verdict=""): row.verdict for row in known}
    return [row._replace(verdict=verdicts.get(row._replace(line=0), "")) for row in found]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 while a change has no verdict, or one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.other_kinds", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the table of docs/configurations.md")
    parser.add_argument("folders", nargs="*", type=Path, help="sources of further projects")
    parsed = parser.parse_args(arguments)
    if not parsed.page:
        _examine_all(parsed.folders)
    rows = _rows()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(with_table(text, table(rows, counts())), encoding="utf-8", newline="\n")
    return 1 if any(row.verdict != "right" for row in rows) else 0


def _examine_all(folders: Iterable[Path]) -> None:
    """Projects of which no sources are given keep their rows."""
    sources = {project.title: unpacked(project) for project in projects()}
    sources |= {folder.name: folder for folder in folders}
    known = _rows()
    changed = [row for row in known if row.project not in sources]
    counted = [row for row in counts() if row.project not in sources]
    for title, source in sources.items():
        lines, numbers = of_project(title, source)
        changed += judged(lines, known)
        counted += numbers
        print(f"{title}: {len(lines)} changes", flush=True)
    _write(EDITS, Changed._fields, changed)
    _write(FINDINGS, Counted._fields, counted)


def _rows() -> list[Changed]:
    return [Changed(**{**row, "line": int(row["line"])}) for row in _read(EDITS)]


def _read(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    lines = ("\t".join(map(str, row)) for row in (columns, *rows))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    raise SystemExit(main())
