"""docs/precision.md and its Chinese twin from the runs and the judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from .judgements import Judgement
from .projects import projects
from .rounds import known_projects, rounds, table_rows


class Language(NamedTuple):
    """Where the page of a language lies, and the words of its tables."""

    page: Path
    text: Path
    rule_columns: str
    project_columns: str


_DOCS = Path(__file__).parents[2] / "docs"
ENGLISH = Language(
    _DOCS / "precision.md",
    Path(__file__).with_name("page.md"),
    "| rule | causes | read | useful | noise | wrong |",
    "| project | field | version | Python files | changed | edits | findings | causes |",
)
CHINESE = Language(
    _DOCS / "precision.zh-CN.md",
    Path(__file__).with_name("page.zh-CN.md"),
    "| 规则 | 类数 | 已阅读 | 有用 | 无用 | 错误 |",
    "| 项目 | 领域 | 版本 | Python 文件 | 有修改 | 修改数 | 问题数 | 类数 |",
)
LANGUAGES = (ENGLISH, CHINESE)


class Run(NamedTuple):
    """One project for one version, in numbers."""

    project: str
    field: str
    version: str
    files: int
    changed: int
    edits: int
    findings: int
    causes: dict[str, int]
    """How many causes each rule found."""
    violations: list[str]


def page(runs: Sequence[Run], judged: Sequence[Judgement], language: Language) -> str:
    """The page: what was reviewed and how, and the tables."""
    text = language.text.read_text(encoding="utf-8")
    values = {
        "projects": str(len({run.project for run in runs})),
        "runs": str(len(runs)),
        "files": f"{sum(run.files for run in runs):,}",
        "edits": f"{sum(run.edits for run in runs):,}",
        "findings": f"{sum(run.findings for run in runs):,}",
        "causes": f"{sum(sum(run.causes.values()) for run in runs):,}",
        "violations": str(sum(len(run.violations) for run in runs)),
        "judged": str(len(judged)),
        "noise_share": _share(estimated(runs, judged, "noise")),
        "wrong_share": _share(estimated(runs, judged, "wrong")),
        "rules_table": "\n".join(_rule_rows(runs, judged, language)),
        "projects_table": "\n".join(_project_rows(runs, language)),
        "rounds_table": "\n".join(table_rows(rounds(), chinese=language is CHINESE)),
        "rounds_projects": known_projects(rounds()),
    }
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def estimated(runs: Iterable[Run], judged: Sequence[Judgement], verdict: str) -> float:
    """The share of all causes that a verdict holds of, the sample of each rule weighted by its causes."""
    totals = _totals(runs)
    read = Counter(row.code for row in judged)
    said = Counter(row.code for row in judged if row.verdict == verdict)
    known = sum(totals[code] for code in read)
    return sum(totals[code] * said[code] / read[code] for code in read) / known if known else 0.0


def _totals(runs: Iterable[Run]) -> Counter[str]:
    totals: Counter[str] = Counter()
    for run in runs:
        totals.update(run.causes)
    return totals


def _share(value: float) -> str:
    return f"{value:.1%}"


def _rule_rows(runs: Sequence[Run], judged: Sequence[Judgement], language: Language) -> Iterable[str]:
    yield language.rule_columns
    yield "|---|---|---|---|---|---|"
    for code, total in sorted(_totals(runs).items()):
        said = Counter(row.verdict for row in judged if row.code == code)
        counts = " | ".join(str(said[verdict]) for verdict in ("useful", "noise", "wrong"))
        yield f"| {code} | {total} | {sum(said.values())} | {counts} |"


def _project_rows(runs: Sequence[Run], language: Language) -> Iterable[str]:
    fields = {} if language is ENGLISH else {project.title: project.chinese_field for project in projects()}
    yield language.project_columns
    yield "|---|---|---|---|---|---|---|---|"
    for run in runs:
        causes = sum(run.causes.values())
        numbers = f"{run.files} | {run.changed} | {run.edits} | {run.findings} | {causes}"
        yield f"| {run.project} | {fields.get(run.project, run.field)} | {run.version} | {numbers} |"
