"""A rule's outline says what the rule says, and a check imports the rules that have something to see."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from gpu2ascend_rules.engine import outlines
from gpu2ascend_rules.engine.outlines import FILE, Outline, instance, outline_of, own_outlines, written
from gpu2ascend_rules.engine.registry import own_rules
from gpu2ascend_rules.engine.rule import Rule

RULES = own_rules()
CHECK = """
import sys
from gpu2ascend_rules import Options, check
found = check(sys.argv[1], Options(version="2.8.0"), sys.argv[2])
print(*sorted({finding.code for finding in found}))
print(*(name for name in sys.modules if name.startswith("gpu2ascend_rules.catalog.")))
"""


def described(outline: Outline) -> dict[str, object]:
    return {field.name: getattr(outline, field.name) for field in attrs.fields(Outline)}


def test_the_file_is_as_the_rules_are() -> None:
    made = "run python -m tools.rule_outlines"
    assert FILE.read_text(encoding="utf-8") == written(), made


def test_each_rule_has_its_outline() -> None:
    found = {outline.code: outline for outline in own_outlines()}
    assert sorted(found) == [rule.code for rule in RULES]
    for rule in RULES:
        assert described(found[rule.code]) == described(outline_of(rule))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_an_outline_leads_to_the_handlers_of_its_rule(rule: Rule) -> None:
    outline = next(item for item in own_outlines() if item.code == rule.code)
    assert outline.rule is rule
    for want, (subscription, handler) in zip(outline.wants, outline.rule.handlers(), strict=True):
        found, needs = outline.handler(want)
        assert (want.event, want.pattern, needs) == subscription
        assert getattr(found, "__func__", found.__class__) == getattr(handler, "__func__", handler.__class__)


@pytest.mark.parametrize("changed", ["module", "table", "file"])
def test_what_changed_since_is_imported(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(outline.code for outline in own_outlines())
    read: list[str] = []

    def rules_in(module: str, of: Callable[[str], Iterator[Rule]] = outlines.rules_in) -> Iterator[Rule]:
        read.append(module)
        return of(module)

    monkeypatch.setattr(outlines, "rules_in", rules_in)
    if changed == "module":
        module = "gpu2ascend_rules.catalog.device.strings"
        monkeypatch.setattr(outlines, "modules", lambda of=outlines.modules: {**of(), module: 1})
    elif changed == "table":
        monkeypatch.setattr(outlines, "sizes_of_tables", lambda: {"names.tsv": 1})
    else:
        monkeypatch.setattr(outlines, "FILE", tmp_path / "rules.jsonl")
    assert sorted(outline.code for outline in own_outlines()) == before
    assert read == ([module] if changed == "module" else [*outlines.modules()])


def test_nothing_is_imported_for_what_did_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlines, "rules_in", lambda module: pytest.fail(module))
    assert len(tuple(own_outlines())) == len(RULES)


@pytest.mark.parametrize(
    ("text", "path", "codes", "most"),
    [
        ("import torch\nx = torch.ones(2).cuda()\n", "a.py", "NPU110", 20),
        ("export CUDA_VISIBLE_DEVICES=0\n", "run.sh", "NPU1001", 25),
        ("import torch\n", "a.py", "", 0),
    ],
)
def test_a_check_imports_the_rules_that_its_words_call_for(
    text: str, path: str, codes: str, most: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHECK, text, path], capture_output=True, text=True, check=True
    )
    found, modules = done.stdout.splitlines()
    assert found == codes
    assert (len(modules.split()) > 0) == (most > 0)
    assert len(modules.split()) <= most < len(outlines.modules()) / 5


def test_an_instance_of_a_rule_is_made_once() -> None:
    rule = RULES[0]
    assert instance(type(rule).__module__, type(rule).__qualname__) is rule
