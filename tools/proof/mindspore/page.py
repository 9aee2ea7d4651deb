"""The table of docs/mindspore.md and of its Chinese twin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..marked import with_part
from .converting import BROKEN, DONE, FINDINGS, LEFT, STOPPED, Outcome

FILES = Path(__file__).with_name("files.json")
DOCS = Path(__file__).parents[3] / "docs"
_NAMED = 3
_MARKS = "<!-- made by python -m tools.proof.mindspore -->\n", "<!-- end -->\n"


class Language(NamedTuple):
    """A page and its words."""

    page: Path
    head: str
    outcomes: dict[str, str]
    unverified: str
    beside: str
    summary: str
    stopped: str
    """What follows it where projects were refused."""


ENGLISH = Language(
    DOCS / "mindspore.md",
    "| file | outcome | why |",
    {
        DONE: "done",
        FINDINGS: "done with findings",
        LEFT: "left as torch",
        STOPPED: "stopped",
        BROKEN: "broken",
    },
    "not compared by running: {names}",
    "imports files that stay: {names}",
    "{files} files that use torch, of {packages} packages: {done} done, {findings} done with findings, "
    "{left} left as torch. Each of the {converted} converted files was imported with MindSpore 2.10.0.",
    " Migration stopped before {stopped} other files.",
)
CHINESE = Language(
    DOCS / "mindspore.zh-CN.md",
    "| 文件 | 结果 | 原因 |",
    {DONE: "已转换", FINDINGS: "已转换，有提示", LEFT: "保持 torch", STOPPED: "停止", BROKEN: "损坏"},
    "未经运行比较：{names}",
    "导入了未转换的文件：{names}",
    "{packages} 个软件包中使用 torch 的 {files} 个文件：{done} 个已转换，{findings} 个已转换但有提示，"
    "{left} 个保持 torch。"
    "转换后的 {converted} 个文件均已用 MindSpore 2.10.0 导入。",
    "另有 {stopped} 个文件所在项目停止迁移。",
)
LANGUAGES = (ENGLISH, CHINESE)


def read() -> list[Outcome]:
    """The outcomes of the last run of all packages."""
    return [Outcome(**one) for one in json.loads(FILES.read_text(encoding="utf-8"))]


def write(found: Sequence[Outcome]) -> None:
    """Keep the outcomes, and put the tables into both pages."""
    lines = ",\n".join(json.dumps(one._asdict()) for one in found)
    FILES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    for language in LANGUAGES:
        text = language.page.read_text(encoding="utf-8")
        language.page.write_text(with_table(text, found, language), encoding="utf-8")


def with_table(page: str, found: Sequence[Outcome], language: Language) -> str:
    """A page with the table in the place of the last one."""
    return with_part(page, _MARKS, f"\n{table(found, language)}\n")


def table(found: Sequence[Outcome], language: Language) -> str:
    """A sentence with the numbers, and a line for each file."""
    count = {
        name: sum(one.outcome == name for one in found) for name in (DONE, FINDINGS, LEFT, STOPPED, BROKEN)
    }
    summary = language.summary.format(
        files=len(found) - count[STOPPED],
        packages=len({one.package for one in found if one.outcome != STOPPED}),
        done=count[DONE],
        findings=count[FINDINGS],
        left=count[LEFT],
        converted=count[DONE] + count[FINDINGS],
    )
    if count[STOPPED]:
        summary += language.stopped.format(stopped=count[STOPPED])
    lines = [summary, "", language.head, "|---|---|---|"]
    package = ""
    for one in found:
        if one.package != package:
            package = one.package
            lines.append(f"| **{package}** | | |")
        lines.append(f"| `{one.file}` | {language.outcomes[one.outcome]} | {_why(one, language)} |")
    return "\n".join(lines) + "\n"


def _why(one: Outcome, language: Language) -> str:
    parts = [_names(one.reasons)] if one.reasons else []
    parts += [language.unverified.format(names=_names(one.unverified))] if one.unverified else []
    parts += [language.beside.format(names=_names(one.beside))] if one.beside else []
    return "; ".join([*parts, *([one.error] if one.error else [])])


def _names(names: Iterable[str]) -> str:
    every = [" ".join(name.split()).replace("|", "\\|") for name in names]
    more = f" (+{len(every) - _NAMED})" if len(every) > _NAMED else ""
    return ", ".join(f"`{name}`" for name in every[:_NAMED]) + more
