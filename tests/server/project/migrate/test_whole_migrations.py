"""All that a migration makes of projects in the usual styles: every changed line, and all that is said of it.

The projects are those that the execution tests run before and after their migration, so that what is in the
golden files is known to train.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest, MigrationResult
from gpu2ascend_rules.model.outcome import ApiUse, AppliedFix, CellLine, RemainingFinding
from gpu2ascend_rules.options.options import options_from
from tests.cases import every_case
from tests.golden import agrees, difference, with_arguments
from tests.server.few import FEW
from tests.server.project.samples import make_tree
from tests.telling import tell_ids

GOLDENS = Path(__file__).with_name("goldens")
ROOT = Path(__file__).parents[4]
EXECUTION = ROOT / "tests" / "execution"
CONVERTED = EXECUTION / "distributed" / "samples"
FOREIGN = EXECUTION / "distributed" / "foreign" / "samples"
MINDSPORE = ROOT / "tests" / "mindspore" / "conversion" / "samples"


class Case(NamedTuple):
    """A project, or a script that becomes one, and the options of its migration."""

    name: str
    source: Path
    options: Mapping[str, object]
    like: str = ""
    """The case of which the golden says what is different, if it is little."""

    def __str__(self) -> str:
        return self.name

    def copied_to(self, project: Path) -> Path:
        """The project, in a folder of its own."""
        if self.source.is_dir():
            shutil.copytree(self.source, project, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            project.mkdir()
            shutil.copy(self.source, project / f"{self.source.stem}.py")
        return project


def distributed(folder: Path, name: str, model: str) -> Case:
    """A script, or a project that ``train.py`` starts, that is made distributed."""
    source = folder / name if (folder / name).is_dir() else folder / f"{name}.py"
    main = "train.py" if source.is_dir() else source.name
    options = {"version": "2.8.0", "distributed": True, "main_file": main, "target_model": model}
    return Case(f"distributed-{name}", source, options)


def of_mindspore(name: str, **options: object) -> Case:
    """A program that is converted for MindSpore."""
    style = "-".join(["mindspore", *(option for option in options if option != "main_file")])
    given = {"version": "2.8.0", "target": "mindspore", **options}
    like = f"mindspore-{name}" if options else ""
    return Case(f"{style}-{name}", MINDSPORE / f"{name}.txt", given, like)


MODELS = {
    "functions": "model",
    "trainer_class": "self.model",
    "notebook_script": "model",
    "several_loaders": "net",
    "gan_two_models": "netG,netD",
    "accumulation": "model",
    "mixed_precision": "model",
    "evaluation": "net",
    "resume": "model",
    "data_parallel": "model",
    "iterations": "net",
    "phases": "model",
    "multi_file": "model",
}
FOREIGN_MODELS = {
    "one_line": "net",
    "resume_if_there": "model",
    "built_elsewhere": "model,self.network",
    "lit_module": "self.model",
    "moved_late": "self.model",
    "phases_again": "model",
    "skips_nan": "model",
    "early_stopping": "model",
    "visible_cards": "net",
    "journals": "model",
    "endless": "self.model",
    "cycle_style": "self.netG,self.netD",
    "samplers": "net",
    "stream": "model",
    "loader_maker": "net",
    "averaged": "model",
    "config_trainer": "self.model",
    "nested_functions": "net",
    "own_samplers": "net,head",
    "searching": "model",
    "lambdas": "net",
    "dictionaries": "model",
    "found_by_name": "self.netG_A,self.netG_B,self.netD_A,self.netD_B",
    "batch_norm": "model",
}
SHAPES = Case("shapes", ROOT / "examples" / "shapes_classifier", {"version": "2.8.0"})
CASES = (
    SHAPES,
    Case("shapes-accelerator", SHAPES.source, {"version": "2.8.0", "target": "accelerator"}),
    Case("shapes-auto", SHAPES.source, {"version": "2.8.0", "auto": True}),
    Case(
        "shapes-much",
        SHAPES.source,
        {
            "version": "2.1.0",
            "unsafe_fixes": True,
            "replace_unsupported": True,
            "specify_device": True,
            "modelarts": True,
            "main_file": "train.py",
            "api_style": "torch.npu",
        },
        "shapes",
    ),
    Case(
        "samples", EXECUTION / "samples", {"version": "2.8.0", "unknown_apis": True, "restricted_apis": True}
    ),
    Case("samples-old", EXECUTION / "samples", {"version": "1.11.0", "unsafe_fixes": True}, "samples"),
    Case(
        "kinds", EXECUTION / "many_kinds" / "samples" / "project", {"version": "2.8.0", "unsafe_fixes": True}
    ),
    Case("enabled", EXECUTION / "enabled" / "samples", {"version": "2.8.0", "enable_amp": True}),
    Case("from-cpu", EXECUTION / "from_cpu" / "samples", {"version": "2.8.0", "from_cpu": True}),
    Case(
        "transplanted",
        EXECUTION / "transplanted" / "samples",
        {"version": "1.5.0", "amp_transplant": True, "amp_model": "model,netG"},
    ),
    *(distributed(CONVERTED, name, model) for name, model in MODELS.items()),
    *(distributed(FOREIGN, name, model) for name, model in FOREIGN_MODELS.items()),
    *(of_mindspore(path.stem) for path in sorted(MINDSPORE.glob("*.txt"))),
    *(of_mindspore(path.stem, graph=True) for path in sorted(MINDSPORE.glob("*.txt"))),
    of_mindspore("cnn", mindspore_api="mint"),
    of_mindspore("gpt", mindspore_api="mint"),
    of_mindspore("parallel", distributed=True, main_file="parallel.py"),
)


class Migration(NamedTuple):
    """A migration that has been made."""

    project: Path
    result: MigrationResult
    outcomes: list[FileOutcome]

    @property
    def output(self) -> Path:
        """The migrated project."""
        assert self.result.output_path is not None
        return self.result.output_path


def migrated(case: Case, folder: Path) -> Migration:
    """Migrate a project."""
    project = case.copied_to(folder / "project")
    outcomes: list[FileOutcome] = []
    request = MigrationRequest(
        input=project, output=folder / "out", options=options_from(dict(case.options)), jobs=1
    )
    return Migration(project, migrate(request, on_file=outcomes.append), outcomes)


def described(migration: Migration) -> Iterator[str]:
    """The result, then what became of each file."""
    result = migration.result
    counts = ((name, getattr(result.summary, name)) for name in result.summary.__slots__ if name[0] != "_")
    yield ", ".join(f"{name}: {count}" for name, count in counts if count)
    yield from (f"notice: {with_arguments(notice)}" for notice in result.notices)
    yield f"environment: {result.environment}, script: {result.script}, reports: {', '.join(result.reports)}"
    before, after = (
        {path.relative_to(at).as_posix(): path for path in sorted(at.rglob("*")) if path.is_file()}
        for at in (migration.project, migration.output)
    )
    yield f"added: {', '.join(sorted(after.keys() - before.keys()))}"
    for outcome in sorted(migration.outcomes, key=lambda item: item.path):
        yield from _outcome(outcome)
        if outcome.path in before and outcome.path in after:
            texts = (files[outcome.path].read_text(encoding="utf-8") for files in (before, after))
            yield from (f"  {line}" for line in difference(*texts, outcome.path))


def _outcome(outcome: FileOutcome) -> Iterator[str]:
    if not outcome.says_something and outcome.status.value == "unchanged":
        return
    yield ""
    yield f"{outcome.path}: {outcome.status.value}"
    if outcome.problem is not None:
        yield f"  problem: {with_arguments(outcome.problem)}"
    yield from _with_places(
        (_lines(fix.start_line, fix.end_line, fix.cell), _made(fix)) for fix in outcome.applied
    )
    for name in ("remaining", "restricted", "advice"):
        left = getattr(outcome, name)
        yield from _with_places(
            (_lines(item.start_line, item.end_line, item.cell), f"{name} {_left(item)}") for item in left
        )
    if outcome.kernels or outcome.equivalents:
        yield f"  kernels: {outcome.kernels}, equivalents: {sorted(outcome.equivalents)}"
    yield from _with_places((_lines(use.start_line, use.end_line, None), _used(use)) for use in outcome.uses)


def _with_places(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Each thing that is said once, with the places of which it is said."""
    places: dict[str, list[str]] = {}
    for place, what in said:
        places.setdefault(what, []).append(place)
    yield from (f"  {', '.join(at)}: {what}" for what, at in places.items())


def _made(fix: AppliedFix) -> str:
    facts = "".join(f" [{fact}]" for fact in (fix.kind, fix.since and f"since {fix.since}") if fact)
    return f"{fix.operation} {fix.code} {with_arguments(fix.message)}{facts}"


def _used(use: ApiUse) -> str:
    tip = f" {with_arguments(use.tip)}" if use.tip is not None else ""
    return f"{use.kind.value} {use.api}{tip}"


def _lines(first: int, last: int, cell: CellLine | None) -> str:
    place = str(first) if first == last else f"{first}-{last}"
    return place if cell is None else f"{place} (cell {cell.cell}:{cell.line})"


def _left(item: RemainingFinding) -> str:
    finding = item.finding
    grave = f"{finding.severity.value}, {finding.applicability.value}"
    return f"{finding.code} {with_arguments(finding.message)} ({grave})"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_migration_makes_of_a_project(case: Case, tmp_path: Path) -> None:
    lines = described(migrated(case, tmp_path))
    text = "".join(f"{line}\n" for line in lines).replace(str(tmp_path), "TMP")
    if case.name.startswith("distributed-") and case.name != HELPERS:
        known = set(ADDED_FUNCTION.findall((GOLDENS / f"{HELPERS}.txt").read_text(encoding="utf-8")))
        text = ADDED_FUNCTION.sub(
            lambda found: f"{found[0].splitlines()[0]} ...\n" if found[0] in known else found[0], text
        )
    if case.like:
        usual = (GOLDENS / f"{case.like}.txt").read_text(encoding="utf-8")
        text = "".join(f"{line}\n" for line in difference(usual, text, "") if line[0] != "@")
    agrees(GOLDENS / f"{case.name}.txt", text)


HELPERS = "distributed-functions"
"""The case whose golden shows the functions that most programs get; the others show their first lines."""
ADDED_FUNCTION = re.compile(r"^  \+def .*\n(?:  \+    .*\n)+", re.MULTILINE)

WHEN = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ ", re.MULTILINE)
BLOCK = re.compile(r"(<(?:section|article|header|nav|main|h\d|table|tr|li|details|p|div|fieldset)\b)")
UNSHOWN = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)


REPORTS = (
    "report.html",
    "change_list.csv",
    "unsupported_api.csv",
    "unknown_api.csv",
    "restricted_api.csv",
    "cuda_op_list.csv",
    "msFmkTranspltlog.txt",
)


def test_what_the_reports_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a few findings of each sort."""
    tell_ids(monkeypatch)
    options = {"version": "2.8.0", "unknown_apis": True, "restricted_apis": True}
    migration = migrated(Case("few", make_tree(tmp_path / "few", FEW), options), tmp_path)
    with every_case() as case:
        for name in REPORTS:
            text = (migration.output / name).read_bytes().decode().replace("\r\n", "\n")
            text = UNSHOWN.sub("", WHEN.sub("", text)).replace(str(tmp_path), "TMP")
            if name.endswith(".html"):
                text = BLOCK.sub(r"\n\1", re.sub(r"\s*(<[a-z])", r"\1", text))
            with case(name):
                agrees(GOLDENS / "reports" / name, text)
