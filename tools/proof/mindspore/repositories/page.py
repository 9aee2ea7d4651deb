"""The table of docs/mindspore.md and of its Chinese twin."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...marked import with_part
from ..page import DOCS
from .converting import DIFFERS, EQUAL, OLD, RAISES, REFUSED, ROUNDED, Outcome

FILES = Path(__file__).with_name("outcomes.json")
_MESSAGES = Path(__file__).parents[4] / "rules" / "gpu2ascend_mindspore" / "messages"
_MARKS = "<!-- made by python -m tools.proof.mindspore.repositories -->\n", "<!-- end of files -->\n"
_LONGEST = 150


class Language(NamedTuple):
    """A page and its words."""

    page: Path
    code: str
    head: str
    outcomes: Mapping[str, str]
    summary: str
    more: str
    """What follows the first cause where there are others."""


LANGUAGES = (
    Language(
        DOCS / "mindspore.md",
        "en",
        "| file | outcome | updates | apart, or the first cause |",
        {EQUAL: "equal", ROUNDED: "rounding", REFUSED: "refused", DIFFERS: "differs", RAISES: "raises"},
        "{files} files of {repositories} repositories: {equal} equal, {rounded} equal but for rounding, "
        "{refused} refused, {wrong} that raise or train differently.",
        " (+{count})",
    ),
    Language(
        DOCS / "mindspore.zh-CN.md",
        "zh",
        "| 文件 | 结果 | 更新次数 | 差异，或第一个原因 |",
        {EQUAL: "相同", ROUNDED: "舍入误差", REFUSED: "未转换", DIFFERS: "不同", RAISES: "报错"},
        "{repositories} 个仓库的 {files} 个文件：{equal} 个相同，{rounded} 个仅有舍入误差，"
        "{refused} 个未转换，{wrong} 个报错或训练结果不同。",
        "（另有 {count} 个）",
    ),
)


def read() -> list[Outcome]:
    """The outcomes of the last runs."""
    if not FILES.is_file():
        return []
    return [Outcome(**one) for one in json.loads(FILES.read_text(encoding="utf-8"))]


def write(found: Sequence[Outcome]) -> None:
    """Keep the outcomes, and put the table into both pages."""
    lines = ",\n".join(json.dumps(one._asdict()) for one in found)
    FILES.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    for language in LANGUAGES:
        text = language.page.read_text(encoding="utf-8")
        page = with_part(text, _MARKS, f"\n{table(found, language)}\n")
        language.page.write_text(page, encoding="utf-8")


def table(found: Sequence[Outcome], language: Language) -> str:
    """A sentence with the numbers, and a line for each file whose original runs."""
    shown = [one for one in found if one.outcome != OLD]
    count = {name: sum(one.outcome == name for one in shown) for name in language.outcomes}
    summary = language.summary.format(
        files=len(shown),
        repositories=len({one.repository for one in shown}),
        equal=count[EQUAL],
        rounded=count[ROUNDED],
        refused=count[REFUSED],
        wrong=count[DIFFERS] + count[RAISES],
    )
    lines = [summary, "", language.head, "|---|---|---|---|"]
    repository = ""
    for one in shown:
        if one.repository != repository:
            repository = one.repository
            lines.append(f"| **{repository}** {one.commit[:12]} | | | |")
        updates = str(one.updates) if one.outcome != REFUSED else ""
        lines.append(
            f"| `{one.path}` | {language.outcomes[one.outcome]} | {updates} | {_why(one, language)} |"
        )
    return "\n".join(lines) + "\n"


def _why(one: Outcome, language: Language) -> str:
    if one.outcome != REFUSED:
        return f"{one.apart:.0e}"
    first = _short(said(one.reasons[0], language.code)).replace("|", "\\|")
    others = len(one.reasons) - 1
    return first + (language.more.format(count=others) if others else "")


def _short(text: str) -> str:
    """The first sentence, without what is to be written by hand."""
    sentence = re.split(r"\. (?=[A-Z])|。|: annotate|：请", text, maxsplit=1)[0]
    if len(sentence) <= _LONGEST:
        return sentence
    cut = sentence[:_LONGEST].rpartition(" ")[0]
    return cut + ("` …" if cut.count("`") % 2 else " …")


def said(english: str, code: str) -> str:
    """A message of MS002 in a language."""
    for key, pattern in _patterns().items():
        found = pattern.fullmatch(english)
        if found is not None:
            return _texts(code)[key].format(**found.groupdict())
    return english


@cache
def _texts(code: str) -> Mapping[str, str]:
    texts: dict[str, str] = json.loads((_MESSAGES / code / "mindspore.json").read_text(encoding="utf-8"))
    return texts


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """What the English texts look like, those with the most words of their own first."""
    texts = {key: text for key, text in _texts("en").items() if key.startswith("MS002.")}
    ordered = sorted(texts, key=lambda key: -len(re.sub(r"\{\w+\}", "", texts[key])))
    return {key: _pattern(texts[key]) for key in ordered}


def _pattern(text: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def group(found: re.Match[str]) -> str:
        name = found[1]
        again = name in seen
        seen.add(name)
        return f"(?P={name})" if again else f"(?P<{name}>.+?)"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", group, re.escape(text)), re.DOTALL)
