"""Pages of rules and APIs as Markdown."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.lsp.documentation.explanation import Explanation, explanation
from gpu2ascend.lsp.features.code_actions import _explanation
from gpu2ascend.lsp.startup.announcement import COMMANDS
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.registry import all_codes, all_rules
from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def explained(name: str, language: str = "en") -> Explanation:
    """For one version and hardware."""
    return explanation(name, Version(2, 8, 0), Hardware.A2, language)


@pytest.mark.parametrize("name", ["NPU101", "npu101", "cuda-namespace"])
def test_a_rule_by_its_code_or_name(name: str) -> None:
    page = explained(name)
    assert page.kind == "rule" and page.markdown.startswith("### NPU101 cuda-namespace\n")
    assert "**What it does**" in page.markdown and "```python\nimport torch" in page.markdown


@pytest.mark.every_rule
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_a_page(language: str) -> None:
    for rule in all_codes():
        markdown = explained(rule.code, language).markdown
        assert markdown.count("```") % 2 == 0 and "``torch" not in markdown.replace("```", "")


def test_code_that_a_line_ends_in_is_code() -> None:
    page = explained("NPU502").markdown
    assert "`torch_npu.npu.config.allow_internal_format =\nFalse`" in page and "``torch_npu" not in page


def headings(code: str) -> list[str]:
    """What is said of each example, in the order of the rule."""
    markdown = explained(code).markdown
    return re.findall(r"^\*((?!\*).+)\*$", markdown, re.MULTILINE)


def test_each_example_says_what_becomes_of_it() -> None:
    said = headings("NPU101")
    texts = catalogue("en")
    kinds = {
        kind: texts[f"cli.explain.example_{kind}"].partition("{")[0]
        for kind in ("before", "manual", "unchanged")
    }
    rule = next(rule for rule in all_rules() if rule.code == "NPU101")
    expected = [
        "unchanged" if item.is_unchanged else "manual" if item.manual else "before" for item in rule.examples
    ]
    assert {"unchanged", "before"} <= set(expected)
    made = [name for line in said for name, text in kinds.items() if line.startswith(text)]
    assert made == expected


def test_an_api_with_its_counterpart_and_a_table() -> None:
    page = explained("torch.cuda.empty_cache")
    assert page.kind == "api" and "torch_npu.npu.empty_cache" in page.markdown
    assert "PyTorch | A2 | A3 | 950DT | 910A\n--- | --- | --- | --- | ---\n" in page.markdown


def test_in_chinese() -> None:
    assert "支持" in explained("torch.nn.Linear", "zh").markdown


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_to_write_custom_rules(language: str) -> None:
    page = explained("custom-rules", language)
    assert page.kind == "guide" and "```json" in page.markdown


def test_nothing_is_known_by_the_name_but_something_is_close() -> None:
    page = explained("torch.cuda.empty_cach")
    assert page.kind is None and page.markdown == "" and "torch.cuda.empty_cache" in page.close


def test_a_rule_in_chinese_is_chinese_to_its_last_part() -> None:
    markdown = explained("NPU101", "zh").markdown
    assert catalogue("zh")["NPU101.title"] in markdown and "```python" in markdown
    prose = re.sub(r"```.*?```|`[^`]*`|^### [^\n]*$", "", markdown, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in prose.split("\n") if line.strip()]
    assert lines and all(re.search("[\u4e00-\u9fff]", line) for line in lines)


def test_the_action_that_explains_runs_the_command_with_the_rule() -> None:
    finding = check(
        SourceFile("import torch\ntorch.cuda.synchronize()\n"), options_from({"version": "2.8.0"})
    )[0]
    action = _explanation(finding, "en")
    assert action.command is not None and action.command.command in COMMANDS
    assert action.command.arguments == [{"name": "NPU101", "show": True}]


def test_a_package_with_what_takes_its_place() -> None:
    page = explained("xformers")
    assert page.kind == "package"
    assert "torch.nn.functional.scaled_dot_product_attention" in page.markdown
