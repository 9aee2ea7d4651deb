"""The table of names: each row is shown by an example of its rule, and the first row that holds counts."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.engine.registry import all_rules, rule_by_code
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.renames.named_rule import NamedRule, Row, rows_of
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.control import OPTIONS
from tests.rules.example_options import options_of
from tests.server.project.samples import make_tree

NAMED = [rule for rule in all_rules() if isinstance(rule, NamedRule)]


def shown_by(rule: Rule) -> list[Finding]:
    return [
        finding
        for example in rule.examples
        for finding in check(SourceFile(example.before), options_of(example, select=[rule.code]))
    ]


def is_of(row: Row, rule: Rule, finding: Finding) -> bool:
    is_same = (finding.message.id, finding.severity) == (f"{rule.code}.{row.key}", row.severity)
    return is_same and any(fnmatchcase(finding.api or "", name.replace(".**", ".*")) for name in row.names)


@pytest.mark.parametrize("rule", NAMED, ids=lambda rule: rule.code)
def test_each_row_is_shown_by_an_example_of_its_rule(rule: Rule) -> None:
    found = shown_by(rule)
    with every_case() as case:
        for rows in rows_of(rule.code).values():
            for row in rows:
                with case(f"{row.key} {row.names[0]}"):
                    assert any(is_of(row, rule, finding) for finding in found), "no example shows this row"


def test_a_rule_of_names_has_rows_and_a_row_has_a_rule_of_names() -> None:
    assert {code for line in load_tsv("names") for code in line["rule"].split()} == {
        rule.code for rule in NAMED
    }


def said(code: str, text: str, version: str) -> list[tuple[str, str]]:
    rule = rule_by_code(code)
    assert rule is not None
    options = options_of(rule.examples[0]._replace(version=version), select=[code])
    return [(item.message.id, item.severity.value) for item in check(SourceFile(text), options)]


@pytest.mark.parametrize(
    ("version", "message"), [("2.8.0", "NPU501.matmul"), ("1.5.0", "NPU501.none")], ids=["later", "before"]
)
def test_a_row_with_a_new_name_holds_where_torch_npu_has_it(version: str, message: str) -> None:
    text = "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n"
    assert [found for found, _ in said("NPU501", text, version)] == [message]


@pytest.mark.parametrize(("version", "count"), [("2.0.1", 1), ("2.1.0", 0)], ids=["before", "from"])
def test_a_row_ends_before_a_release(version: str, count: int) -> None:
    text = "import torch.distributed as dist\ndist.all_reduce(m, dist.ReduceOp.AVG)\n"
    assert len(said("NPU413", text, version)) == count


@pytest.mark.parametrize(
    ("use", "severity"), [("f(ReduceOp.BOR)", "error"), ("op = ReduceOp.BOR", "information")]
)
def test_the_first_row_that_holds_counts(use: str, severity: str) -> None:
    text = f"from torch.distributed import ReduceOp\n{use}\n"
    assert said("NPU413", text, "2.8.0") == [("NPU413.bitwise", severity)]


@pytest.mark.parametrize("path", ["fairseq/__init__.py", "fairseq.py"])
def test_a_package_of_the_project_is_not_the_library_of_that_name(tmp_path: Path, path: str) -> None:
    source = SourceFile("from fairseq import utils\nsample = utils.move_to_cuda(sample)\n", "train.py")
    assert [item.code for item in check(source, OPTIONS, ProjectFiles(tmp_path))] == ["NPU712"]
    make_tree(tmp_path, {path: ""})
    assert check(source, OPTIONS, ProjectFiles(tmp_path)) == ()
