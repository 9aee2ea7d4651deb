"""Writes docs/coverage.md and its Chinese twin from the tables here: ``python docs/coverage/build.py``."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from gpu2ascend_rules.engine.rule import Family

HERE = Path(__file__).parent
COLUMNS = ("id", "construct", "versions", "treatment", "rule_or_test", "source")
TITLES = {family.folder: family.title for family in Family}
ENGLISH = """# Coverage

[中文](coverage.zh-CN.md)

Every construct of a PyTorch CUDA project that the product knows, and what it does with it.

*Safe fix*: a migration applies it. *Unsafe fix*: offered as a quick fix, applied with `--unsafe`.
*Diagnosed*: reported with advice, never edited. *Left alone*: right as it is; a test holds it so.

`gpu2ascend explain CODE` describes a rule in full. This page is made from the tables in `docs/coverage/`
by `python docs/coverage/build.py`.
"""
CHINESE = """# 覆盖范围

[English](coverage.md)

本产品识别的 PyTorch CUDA 项目的全部写法，以及对每种写法的处理。\
“写法”和“来源”两列为英文；`gpu2ascend explain 编号 --language zh` 用中文完整说明每条规则。

*安全修复*：迁移时应用。*不安全修复*：作为快速修复提供，使用 `--unsafe` 时应用。\
*诊断*：给出说明，从不修改。*保持不变*：本来就正确，由测试保证。

本页由 `python docs/coverage/build.py` 根据 `docs/coverage/` 中的表格生成。
"""
TREATMENTS = {
    "safe fix": "安全修复",
    "unsafe fix": "不安全修复",
    "diagnosed": "诊断",
    "left alone": "保持不变",
}
CHINESE_TITLES = {
    "support": "PyTorch 自身 API 的支持情况",
    "cuda_api": "torch.cuda 的名称、张量方法和类型",
    "device": "设备",
    "amp": "混合精度、apex",
    "distributed": "分布式",
    "backend": "后端开关、编译、图、性能分析",
    "kernel": "注意力、融合核函数、扩展",
    "third_party": "第三方库",
    "data": "数据加载、检查点、数值",
    "environment": "环境变量和命令",
    "shell": "shell 脚本",
    "dependencies": "依赖",
    "configurations": "配置",
    "containers": "容器与集群",
    "sources": "C++ 与 CUDA C++ 源码",
    "accelerator": "与设备无关的代码（`--target accelerator`）",
    "advice": "建议",
    "automatic": "transfer_to_npu（`--auto`）",
    "mindspore": "MindSpore，预览（`--target mindspore`）",
    "custom": "自定义规则",
}
"""By the name of the table, as :data:`TITLES`."""


def tables() -> dict[str, list[dict[str, str]]]:
    """The rows of each table, by the table's name, in the order of :data:`TITLES`."""
    return {name: rows(HERE / f"{name}.tsv") for name in TITLES if (HERE / f"{name}.tsv").exists()}


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def page() -> str:
    """The whole page, in English."""
    return _page(ENGLISH, TITLES, "| id | construct | versions | treatment | by | source |", {})


def chinese_page() -> str:
    """The whole page, in Chinese."""
    return _page(CHINESE, CHINESE_TITLES, "| 编号 | 写法 | 版本 | 处理 | 规则或测试 | 来源 |", TREATMENTS)


def _page(introduction: str, titles: Mapping[str, str], heading: str, words: Mapping[str, str]) -> str:
    parts = [introduction]
    for name, items in tables().items():
        parts.append(f"\n## {titles.get(name, name)}\n\n{heading}")
        parts.append("|---|---|---|---|---|---|")
        parts.extend(_line(item, words) for item in items)
    return "\n".join(parts) + "\n"


def _line(item: dict[str, str], words: Mapping[str, str]) -> str:
    cells = [_escaped(item[column] or "") for column in COLUMNS]
    cells[3] = words.get(cells[3], cells[3])
    cells[4] = " ".join(f"`{word}`" for word in cells[4].replace(",", " ").split())
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "\\<")


if __name__ == "__main__":
    (HERE.parent / "coverage.md").write_text(page(), encoding="utf-8")
    (HERE.parent / "coverage.zh-CN.md").write_text(chinese_page(), encoding="utf-8")
