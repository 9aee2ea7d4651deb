"""Real packages migrate, and what must hold for any migration holds for them."""

from __future__ import annotations

import ast
import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest, MigrationResult
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.realworld import audit
from tests.realworld.packages import PACKAGES, Package, unpacked

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.one_in(4)]

OPTIONS = options_from({"version": "2.8.0"})


class Migrated:
    """A package before and after its migration."""

    def __init__(self, package: Package, where: Path, options: MigrationOptions) -> None:
        self.before = unpacked(package)
        self.options = options
        self.result: MigrationResult = migrate(
            MigrationRequest(input=self.before, output=where, options=options, jobs=1)
        )
        assert self.result.output_path is not None
        self.after = self.result.output_path

    def files(self) -> Iterator[tuple[str, bytes, bytes]]:
        """Each Python file: its path, and its bytes before and after."""
        for path in sorted(self.before.rglob("*.py")):
            relative = path.relative_to(self.before)
            yield str(relative), path.read_bytes(), (self.after / relative).read_bytes()

    def trees(self) -> Iterator[tuple[str, ast.Module, ast.Module, str]]:
        """Each Python file that changed: path, both trees, and the new text."""
        for path, before, after in self.files():
            if before != after:
                text = after.decode("utf-8-sig")
                yield path, ast.parse(before), ast.parse(after), text


@pytest.fixture(scope="module", params=PACKAGES, ids=lambda package: package.name)
def migrated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Migrated:
    return Migrated(request.param, tmp_path_factory.mktemp("out"), OPTIONS)


def test_every_file_is_there_and_every_output_parses(migrated: Migrated) -> None:
    before = {str(path.relative_to(migrated.before)) for path in migrated.before.rglob("*") if path.is_file()}
    after = {str(path.relative_to(migrated.after)) for path in migrated.after.rglob("*") if path.is_file()}
    assert before - after == set()
    changed = 0
    for _, old, new in migrated.files():
        changed += old != new
        try:
            ast.parse(old)
        except SyntaxError:
            assert old == new
        else:
            ast.parse(new)
    assert changed > 0


def test_every_name_that_was_written_exists(migrated: Migrated) -> None:
    facts = Facts.load(OPTIONS.require_version(), OPTIONS.hardware)
    missing = []
    for path, old, new, _ in migrated.trees():
        known = {
            item.name for tree in (old,) for item in (*audit.dotted_names(tree), *audit.imported_names(tree))
        }
        for item in (*audit.dotted_names(new), *audit.imported_names(new)):
            is_npu = item.name.startswith(("torch_npu.", "torch.npu."))
            if is_npu and item.name not in known and not exists_in_part(item.name, facts):
                missing.append((path, *item))
    assert missing == []


def exists_in_part(name: str, facts: Facts) -> bool:
    """Whether a name exists; attributes of what it returns or holds are beyond any table."""
    parts = name.split(".")
    return any(
        facts.npu_name_exists(".".join(parts[:count]))
        for count in range(len(parts), min(3, len(parts)) - 1, -1)
    )


def test_migrating_the_output_again_changes_nothing(migrated: Migrated, tmp_path: Path) -> None:
    again = migrate(MigrationRequest(input=migrated.after, output=tmp_path, options=OPTIONS, jobs=1))
    assert again.output_path is not None
    for path, _, new in migrated.files():
        assert (again.output_path / path).read_bytes() == new, path


def test_a_file_without_a_trace_of_cuda_is_the_same_byte_for_byte(migrated: Migrated) -> None:
    for path, old, new in migrated.files():
        if not audit.CUDA_TRACE.search(old.decode("utf-8", "replace")):
            assert old == new, path


def test_every_cuda_reference_that_remains_is_reported(migrated: Migrated) -> None:
    silent = []
    for path, _, new in migrated.files():
        text = new.decode("utf-8-sig", "replace")
        if "cuda" not in text:
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        source = SourceFile(text, path)
        reported: set[int] = set()
        for finding in check(source, OPTIONS):
            first, last = source.lines.line_of(finding.start), source.lines.line_of(finding.end)
            reported.update(range(first + 1, last + 2))
        lines = text.splitlines()
        left = {item.line for item in audit.dotted_names(tree) if item.name.startswith("torch.cuda")}
        left |= set(audit.sunk_cuda_devices(tree))
        silent += [
            (path, line, lines[line - 1]) for line in sorted(left - reported) if not knows_npu(lines, line)
        ]
    assert silent == []


def knows_npu(lines: list[str], line: int) -> bool:
    """Whether code around a line deals with the NPU by itself."""
    around = lines[max(0, line - 40) : line + 40]
    return any(re.search(r"(?<![a-z])npu", item, re.IGNORECASE) for item in around)


def test_no_comment_and_no_docstring_changed(migrated: Migrated) -> None:
    for path, old, new in migrated.files():
        if old == new:
            continue
        before, after = old.decode("utf-8-sig"), new.decode("utf-8-sig")
        assert audit.comments(before) == audit.comments(after), path
        assert sorted(audit.docstrings(ast.parse(before))) == sorted(audit.docstrings(ast.parse(after))), path


def test_every_name_that_a_function_reads_is_bound_when_it_was(migrated: Migrated) -> None:
    before, after = (
        unbound_names(folder, migrated.before.name) for folder in (migrated.before, migrated.after)
    )
    assert set(before) == set(after) != set()
    new = {path: sorted(set(names) - set(before[path])) for path, names in after.items()}
    assert {path: names for path, names in new.items() if names} == {}


def unbound_names(folder: Path, package: str) -> dict[str, list[str]]:
    """By module the names that are not bound on loading it, or that its functions would not find."""
    runner = Path(__file__).with_name("stub_modules.py")
    command = [sys.executable, "-I", str(runner), str(folder), package]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder.parent)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_the_reports_agree_with_the_tree(migrated: Migrated) -> None:
    with (migrated.after / "change_list.csv").open(encoding="utf-8-sig", newline="") as stream:
        listed = {Path(row["File"]) for row in csv.DictReader(stream)}
    files = (path.relative_to(migrated.before) for path in migrated.before.rglob("*") if path.is_file())
    changed = {
        path
        for path in files
        if (migrated.before / path).read_bytes() != (migrated.after / path).read_bytes()
    }
    assert listed == changed
