"""``make rule`` writes a skeleton that runs, and whose unwritten parts the checks find."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from gpu2ascend_rules.engine.rule import Family
from tests.tools.checkout import copy_checkout, run_in
from tools.new_rule import NewRule, RefusedError, checked, main, write

pytestmark = pytest.mark.slow

RULE = NewRule("NPU799", "made-up-library", Family.THIRD_PARTY)
MODULE = "rules/gpu2ascend_rules/catalog/third_party/made_up_library.py"
MESSAGES = "rules/gpu2ascend_rules/messages/en/third_party.json"
TABLE = "docs/coverage/third_party.tsv"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_checkout(tmp_path / "checkout")


@pytest.mark.parametrize(
    ("code", "name", "family", "reason"),
    [
        ("799", "made-up-library", "third-party", "is not of third-party, whose codes are NPU7xx"),
        ("NPU799", "MadeUpLibrary", "third-party", "lower-case words"),
        ("NPU799", "made-up-library", "libraries", "is none of support"),
        ("NPU799", "made-up-library", "custom", "is none of support"),
        ("NPU701", "made-up-library", "third-party", "NPU701 is taken by cuda-library"),
        ("NPU799", "cuda-library", "third-party", "is the name of NPU701"),
        ("NPU799", "made-up-library", "device", "is not of device"),
        ("NPU1401", "made-up-library", "containers", "is not of containers, whose codes are NPU13xx"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(
    code: str, name: str, family: str, reason: str
) -> None:
    with pytest.raises(RefusedError, match=reason):
        checked(code, name, family)


def test_a_refusal_is_one_line_and_exit_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["NPU701", "made-up-library", "third-party"]) == 2
    assert capsys.readouterr().err == "error: NPU701 is taken by cuda-library\n"


def test_a_free_code_of_the_family_is_taken() -> None:
    assert checked("NPU799", "made-up-library", "third-party") == RULE


def made(checkout: Path, code: str, family: str) -> str:
    """What the examples of a new skeleton come to."""
    written = run_in(checkout, sys.executable, "-m", "tools.new_rule", code, "made-up", family)
    assert written.returncode == 0, written.stderr
    tests = "tests/rules/catalog/test_examples.py"
    done = run_in(checkout, sys.executable, "-m", "pytest", tests, "--rule", code, "-q", "-n0")
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_every_family_has_a_skeleton_that_runs(checkout: Path) -> None:
    """One of each sort: a kind of file, a target with its own rules, and a family that is new."""
    rule = checkout / "rules/gpu2ascend_rules/engine/rule.py"
    text = rule.read_text(encoding="utf-8")
    new = '    PIPELINES = "pipelines", "NPU15xx", "Pipelines"\n'
    rule.write_text(text.replace("    ACCELERATOR =", f"{new}    ACCELERATOR ="), encoding="utf-8")
    for code, family in (("NPU1290", "configurations"), ("ACC190", "accelerator"), ("NPU1501", "pipelines")):
        assert "passed" in made(checkout, code, family)
        (checkout / f"rules/gpu2ascend_rules/catalog/{family}/made_up.py").unlink()


class TestSkeleton:
    def test_is_a_module_in_the_folder_of_the_family(self, checkout: Path) -> None:
        assert write(RULE, checkout) == [checkout / MODULE, checkout / MESSAGES, checkout / TABLE]
        text = (checkout / MODULE).read_text(encoding="utf-8")
        assert "class MadeUpLibrary(Rule)" in text

    def test_never_replaces_a_module(self, checkout: Path) -> None:
        (checkout / MODULE).write_text("mine\n", encoding="utf-8")
        with pytest.raises(RefusedError, match="exists"):
            write(RULE, checkout)
        assert (checkout / MODULE).read_text(encoding="utf-8") == "mine\n"

    def test_adds_its_messages_in_the_order_of_the_codes(self, checkout: Path) -> None:
        before = json.loads((checkout / MESSAGES).read_text(encoding="utf-8"))
        write(RULE, checkout)
        after = json.loads((checkout / MESSAGES).read_text(encoding="utf-8"))
        assert [name for name in after if name in before] == list(before)
        assert [name for name in after if name not in before] == ["NPU799.found", "NPU799.title"]
        later = [name.partition(".")[0] for name in list(after)[list(after).index("NPU799.title") + 1 :]]
        assert all(code > "NPU799" for code in later)

    def test_has_the_next_row_of_the_coverage_table_and_is_on_the_page(self, checkout: Path) -> None:
        *_, last = (checkout / TABLE).read_text(encoding="utf-8").splitlines()
        write(RULE, checkout)
        *_, added = (checkout / TABLE).read_text(encoding="utf-8").splitlines()
        series, _, number = last.partition("\t")[0].rpartition("-")
        assert added.split("\t")[0] == f"{series}-{int(number) + 1:02}"
        assert "`NPU799`" in (checkout / "docs/coverage.md").read_text(encoding="utf-8")

    def test_is_a_rule_that_finds_what_its_examples_say(self, checkout: Path) -> None:
        write(RULE, checkout)
        done = run_in(
            checkout, sys.executable, "-m", "pytest", "tests/rules/catalog/test_examples.py",
            "--rule", "NPU799", "-q", "-n0",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout

    def test_is_not_finished_while_a_mark_is_left(self, checkout: Path) -> None:
        write(RULE, checkout)
        done = run_in(
            checkout, sys.executable, "-m", "pytest", "tests/rules/catalog", "--rule", "NPU799", "-q", "-n0"
        )
        assert done.returncode == 1
        failed = re.findall(r"^FAILED \S+::(\w+)", done.stdout, re.MULTILINE)
        assert set(failed) == {
            "test_a_row_is_complete_and_names_what_exists",
            "test_every_golden_is_of_a_rule_that_there_is",
            "test_nothing_of_the_skeleton_is_left_to_write",
            "test_the_findings_of_the_examples_are_as_grave_as_stated",
            "test_what_is_said_of_the_examples",
        }, done.stdout
