"""``python -m tools.proof.other_kinds``: what migrations do to the files of the proof that are not Python.

Every line that changes becomes a row of ``other_edits.tsv`` beside this module, whose verdict a reviewer
fills in (``right`` or ``wrong``); verdicts that are there are kept. ``other_findings.tsv`` counts the files
and the findings. From both comes the table in docs/configurations.md.
"""

from __future__ import annotations

import argparse
import csv
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gpu2ascend_rules.kinds.registry import kind_of

from .migrations import migrated
from .projects import CACHE, projects, unpacked

VERSION = "2.8.0"
EDITS = Path(__file__).with_name("other_edits.tsv")
FINDINGS = Path(__file__).with_name("other_findings.tsv")
PAGE = Path(__file__).parents[2] / "docs" / "configurations.md"
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


def of_project(
    project: str, source: Path, document: Mapping[str, Any]
) -> tuple[list[Changed], list[Counted]]:
    """What the result document of a migration says of the files of other kinds."""
    files: Counter[str] = Counter()
    for file in sorted(path for path in source.rglob("*") if path.is_file() and not path.is_symlink()):
        name = kind_name(file.relative_to(source).as_posix(), file)
        files.update([name] if name else [])
    changed: list[Changed] = []
    findings: Counter[str] = Counter()
    output = Path(document["output"])
    for item in document["files"]:
        path = item["path"]
        kind = kind_name(path, source / path)
        if not kind:
            continue
        findings[kind] += len(item["remaining"])
        if item["status"] == "changed":
            texts = [(place / path).read_text(encoding="utf-8") for place in (source, output)]
            changed += changed_lines(project, kind, path, *texts)
    return changed, [Counted(project, kind, files[kind], findings[kind]) for kind in sorted(files)]


def edits() -> list[Changed]:
    """The rows of the table of edits.

    Raises:
        ValueError: a verdict is none.
    """
    rows = [Changed(**{**row, "line": int(row["line"])}) for row in _read(EDITS)]
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
    before, _, rest = page.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    return f"{before}{MARKS[0]}{made}{MARKS[1]}{after}"


def judged(found: Iterable[Changed], known: Iterable[Changed]) -> list[Changed]:
    """Changes with the verdicts that stand in a table for the same change."""
    verdicts = {row._replace(line=0, verdict=""): row.verdict for row in known}
    return [row._replace(verdict=verdicts.get(row._replace(line=0), "")) for row in found]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 while a change has no verdict, or one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.other_kinds", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the table of docs/configurations.md")
    if not parser.parse_args(arguments).page:
        _migrate_all()
    rows = [Changed(**{**row, "line": int(row["line"])}) for row in _read(EDITS)]
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_table(page, table(rows, counts())), encoding="utf-8", newline="\n")
    return 1 if any(row.verdict != "right" for row in rows) else 0


def _migrate_all() -> None:
    changed: list[Changed] = []
    counted: list[Counted] = []
    for project in projects():
        source = unpacked(project)
        done = migrated(source, CACHE / "other" / project.title, VERSION)
        lines, numbers = of_project(project.title, source, done.document)
        changed += lines
        counted += numbers
        print(f"{project.title}: {len(lines)} changes", flush=True)
    known = [Changed(**{**row, "line": int(row["line"])}) for row in _read(EDITS)]
    _write(EDITS, Changed._fields, judged(changed, known))
    _write(FINDINGS, Counted._fields, counted)


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
