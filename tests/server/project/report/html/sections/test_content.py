"""What each section says, in both languages; the numbers are those of the summary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.project.report.result import FileOutcome, FileStatus
from gpu2ascend_rules.model.finding import Applicability, Message, Severity
from tests.server.project.report.html.pages import changed, left, page

READY = changed("a.py", "x = 1\n", "x = 2\n", "NPU101", "NPU102")
PLAIN = FileOutcome("plain.py", FileStatus.UNCHANGED)
BLOCKED = changed("b.py", "y = 1\n", "y = 2\n", remaining=[left(line=3), left(line=9)])
OPEN = FileOutcome("c.py", FileStatus.UNCHANGED, remaining=(left(Severity.WARNING, "NPU520"),))
ADVICE = FileOutcome("d.py", FileStatus.UNCHANGED, remaining=(left(Severity.HINT, "NPU502"),))
KERNELS = FileOutcome("k.cu", FileStatus.UNCHANGED, kernels=("k1", "k2"))
BROKEN = FileOutcome(
    "broken.py", FileStatus.UNPARSABLE, problem=Message.of("project.unparsable", line=3, reason="no")
)
ALL = (READY, PLAIN, BLOCKED, OPEN, ADVICE, KERNELS, BROKEN)


class TestReadiness:
    def test_the_verdict_on_what_has_nothing_left(self, tmp_path: Path) -> None:
        said = page(tmp_path, [READY, PLAIN]).section("readiness")
        assert "Nothing is known to prevent training." in said
        assert "Nothing was run" in said

    def test_the_verdict_on_what_is_to_be_decided(self, tmp_path: Path) -> None:
        said = page(tmp_path, [READY, OPEN]).section("readiness")
        assert "Nothing is known to prevent training; places to decide: 1." in said

    def test_the_verdict_on_what_blocks_gives_the_reasons(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL, obstacles=("no `import torch_npu`",)).section("readiness")
        assert "Not ready to train" in said and "no import torch_npu" in said
        assert "Errors: 2, with different causes: 1" in said and "Files that could not be examined: 1" in said

    def test_a_project_that_is_not_complete_is_never_called_ready(self, tmp_path: Path) -> None:
        assert "Nothing is known to prevent" not in page(tmp_path, [BROKEN, READY]).section("readiness")

    def test_the_share_counts_files_and_is_rounded_down(self, tmp_path: Path) -> None:
        made = page(tmp_path, ALL)
        assert "42 % of the examined files are ready (3 of 7)" in made.section("readiness")

    def test_the_way_it_is_computed_stands_beside_it(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("readiness")
        assert "How this is computed" in said and "rounded down" in said and "99 %" in said

    def test_states_are_counted_in_words(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("readiness")
        for text in ("no change needed: 2", "migrated: 1", "to decide: 2", "blocked: 1", "not examined: 1"):
            assert text in said

    def test_the_numbers_are_those_of_the_summary(self, tmp_path: Path) -> None:
        made = page(tmp_path, ALL)
        said, summary = made.section("readiness"), made.summary
        assert f"{summary.edits} edits made, in {summary.changed_files} files" in said
        assert f"{summary.errors} errors" in said
        assert f"{summary.warnings + summary.information} warnings and information" in said
        assert f"{summary.hints} hints" in said
        assert f"{summary.troubled_files} files that could not be examined" in said

    def test_the_counts_of_an_analysis_are_told_too(self, tmp_path: Path) -> None:
        names = ("files", "findings", "errors", "warnings", "information", "hints")
        counts = dict.fromkeys((*names, "safe_fixes", "unsafe_fixes", "manual"), 3)
        assert "findings 3 (errors 3" in page(tmp_path, ALL, analysis=counts).section("readiness")


class TestSteps:
    def test_come_in_order(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL, output="proj_msft", others=["a.sh"]).section("steps")
        steps = ("environment", "Install PyTorch", "Fix the errors", "not examined", "Smoke test", "Launch")
        places = [said.index(step) for step in steps]
        assert places == sorted(places)

    def test_what_is_installed_is_the_pair_that_dependencies_are_changed_to(self, tmp_path: Path) -> None:
        said = page(tmp_path / "older", [READY], version="2.1.0").section("steps")
        assert "pip install torch==2.1.0 torchvision==0.16.0 torchaudio==2.1.0" in said
        said = page(tmp_path, [READY]).section("steps")
        assert "pip install torch==2.8.0 torchvision==0.23.0 torchaudio==2.8.0" in said
        assert "pip install torch-npu==2.8.0.post5" in said
        assert "The newest CANN documented for this PyTorch is 9.0.0, with torch_npu 2.8.0.post4." in said

    def test_a_version_without_a_build_on_the_index_is_said_to_have_none(self, tmp_path: Path) -> None:
        said = page(tmp_path, [READY], version="1.8.1").section("steps")
        assert "get it from the vendor's site" in said and "pip install torch-npu" not in said

    def test_begin_with_the_migration_where_there_was_none(self, tmp_path: Path) -> None:
        said = page(tmp_path, [READY], output=None, project="my project").section("steps")
        assert "gpu2ascend migrate -i 'my project' -o out -v 2.8.0" in said

    def test_nothing_is_to_be_resolved_where_nothing_blocks(self, tmp_path: Path) -> None:
        assert "Fix the errors" not in page(tmp_path, [READY], output="x").section("steps")

    @pytest.mark.parametrize(("count", "more"), [(1, False), (5, False), (6, True)])
    def test_five_reasons_that_block_are_named(self, tmp_path: Path, count: int, more: bool) -> None:
        causes = [left(code=f"NPU{number}", text=f"cause {number}") for number in range(104, 104 + count)]
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=tuple(causes))
        said = page(tmp_path, [outcome], output="x").section("steps")
        assert said.count("a.py:7: p: c cause") == min(count, 5)
        assert ("…" in said) is more

    def test_the_launch_script_is_named_where_there_is_one(self, tmp_path: Path) -> None:
        made = page(tmp_path, [READY], output="x", launchers=("run_distributed_npu.sh",))
        assert "bash run_distributed_npu.sh" in made.section("steps")


class TestFindings:
    def test_a_cause_is_said_once_with_its_places(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("findings")
        assert said.count("Errors: 2 (causes: 1)") == 1
        assert "b.py:3" in said and "b.py:9" in said

    def test_the_gravest_come_first(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("findings")
        assert said.index("Errors:") < said.index("Warnings:") < said.index("Advice:")

    def test_the_advice_of_the_rule_and_its_explanation_are_there(self, tmp_path: Path) -> None:
        made = page(tmp_path, [BLOCKED])
        assert "What to do:" in made.section("findings")
        assert 'href="#rule-NPU104"' in made.html and 'id="rule-NPU104"' in made.html

    @pytest.mark.parametrize(("replaces", "flag"), [(True, "--similar"), (False, "--unsafe")])
    def test_a_fix_that_is_offered_is_named_by_its_option(
        self, tmp_path: Path, replaces: bool, flag: str
    ) -> None:
        item = left(Severity.WARNING, fix=Applicability.UNSAFE, replaces=replaces)
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=(item,))
        assert flag in page(tmp_path, [outcome]).section("findings")

    def test_a_rule_of_the_user_has_no_page_and_is_shown(self, tmp_path: Path) -> None:
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=(left(code="CUS001"),))
        assert "CUS001 something" not in page(tmp_path, [outcome]).section("rules")

    def test_a_rule_without_a_title_is_called_by_its_first_text(self, tmp_path: Path) -> None:
        items = [left(code="MINE1", line=line, text=f"text {line}") for line in (3, 9)]
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=tuple(items))
        assert "MINE1 p: c text 3places: 2" in page(tmp_path, [outcome]).section("findings")

    def test_nothing_left_is_said(self, tmp_path: Path) -> None:
        assert "Nothing is left." in page(tmp_path, [READY]).section("findings")

    def test_of_very_many_causes_the_rest_is_counted(self, tmp_path: Path) -> None:
        items = tuple(left(text=f"cause {number}") for number in range(260))
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=items)
        assert "Further causes: 10." in page(tmp_path, [outcome]).section("findings")


class TestApis:
    def test_are_listed_by_kind_with_what_is_known(self, tmp_path: Path) -> None:
        items = (
            left(kind="unsupported", api="torch.a", text="use torch.z"),
            left(Severity.INFORMATION, kind="unknown", api="torch.b"),
        )
        restricted = (left(Severity.INFORMATION, code="NPU006", api="torch.c"),)
        outcome = FileOutcome("a.py", FileStatus.UNCHANGED, remaining=items, restricted=restricted)
        said = page(tmp_path, [outcome]).section("apis")
        assert "Unsupported: 1" in said and "torch.a" in said and "use torch.z" in said
        assert "Not in the support lists: 1" in said and "torch.b" in said
        assert "Restricted, where nothing shows that it matters: 1" in said and "torch.c" in said

    def test_have_no_section_where_there_are_none(self, tmp_path: Path) -> None:
        assert page(tmp_path, [READY]).section("apis") == ""


class TestFiles:
    def test_a_file_with_edits_leads_to_them_and_another_one_to_nothing(self, tmp_path: Path) -> None:
        made = page(tmp_path, ALL)
        links = re.findall(r'<a [^>]*href="[^"]*#(diff-\d+)"[^>]*>(.*?)</a>', made.html, re.DOTALL)
        names = {anchor: re.sub("<[^>]+>", "", text) for anchor, text in links}
        assert names == {"diff-1": "a.py", "diff-2": "b.py"}

    def test_the_gravest_come_first_with_their_shares(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("files")
        table = said[said.index("Done") :]
        order = ["broken.py", "b.py", "k.cu", "c.py", "a.py"]
        assert [table.index(name) for name in order] == sorted(table.index(name) for name in order)
        assert "b.py blocked 1 2 0 0 33 %" in table
        assert "a.py migrated 2 0 0 0 100 %" in table
        assert "broken.py not examined 0 0 0 0 –" in table

    def test_what_is_as_it_was_is_counted(self, tmp_path: Path) -> None:
        assert "need no change: 2." in page(tmp_path, ALL).section("files")

    def test_a_changed_file_leads_to_its_differences(self, tmp_path: Path) -> None:
        made = page(tmp_path, ALL)
        assert '<a href="#diff-1"><code translate="no">a.<wbr>py</code></a>' in made.html

    def test_of_very_many_files_the_rest_is_counted(self, tmp_path: Path) -> None:
        many = [changed(f"{number}.py", "a\n", "b\n") for number in range(1_003)]
        assert "have something left: 3." in page(tmp_path, many).section("files")

    def test_the_picture_has_a_text(self, tmp_path: Path) -> None:
        made = page(tmp_path, ALL)
        assert 'class="areas"' in made.html and "<title>b.py: edits 1, left 2</title>" in made.html


class TestDifferences:
    def test_are_side_by_side_with_what_changed_marked(self, tmp_path: Path) -> None:
        outcome = changed("a.py", 'x = f("cuda")\n', 'x = f("npu")\n')
        html = page(tmp_path, [outcome]).html
        assert '<td class="r">x = f(&quot;<del>cuda</del>&quot;)</td>' in html
        assert '<td class="a">x = f(&quot;<ins>npu</ins>&quot;)</td>' in html

    def test_each_changed_file_has_them(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("diffs")
        assert "a.py" in said and "b.py" in said and "c.py" not in said


class TestDependencies:
    def test_stand_before_and_after(self, tmp_path: Path) -> None:
        outcome = changed("requirements.txt", "torch==2.1+cu118\n", "torch==2.1.0\n", "NPU1101")
        said = page(tmp_path, [outcome]).section("dependencies")
        assert "requirements.txt:1 torch==2.1+cu118 torch==2.1.0" in said

    def test_what_was_added_behind_belongs_to_it(self, tmp_path: Path) -> None:
        outcome = changed("requirements.txt", "torch\nx\n", "torch==2\ntorch_npu==2\nx\n", "NPU1101")
        assert "torch torch==2 torch_npu==2" in page(tmp_path, [outcome]).section("dependencies")

    @pytest.mark.parametrize("added", [1, 2, 5])
    def test_all_that_was_added_right_behind_belongs_to_it(self, tmp_path: Path, added: int) -> None:
        lines = [f"added{number}==1" for number in range(added)]
        after = "\n".join(["torch==2", *lines, "xformers", ""])
        outcome = changed("requirements.txt", "torch\nxformers\n", after, "NPU1101")
        assert f"torch torch==2 {' '.join(lines)} " in page(tmp_path, [outcome]).section("dependencies")

    @pytest.mark.parametrize("after", ["torch==2\nx\nother\n", "torch==2\nx\ny\nother\n"])
    def test_what_was_added_further_down_does_not(self, tmp_path: Path, after: str) -> None:
        before = after.replace("==2", "").replace("other\n", "")
        said = page(tmp_path, [changed("requirements.txt", before, after, "NPU1101")]).section("dependencies")
        assert "torch torch==2" in said and "other" not in said

    def test_what_is_left_is_there_too(self, tmp_path: Path) -> None:
        item = left(Severity.WARNING, "NPU1105")
        outcome = FileOutcome("poetry.lock", FileStatus.UNCHANGED, remaining=(item,))
        assert "poetry.lock:7 unchanged unchanged" in page(tmp_path, [outcome]).section("dependencies")

    @pytest.mark.parametrize("code", ["NPU110", "NPU1201"])
    def test_what_other_rules_leave_is_no_dependency(self, tmp_path: Path, code: str) -> None:
        own, other = left(code="NPU1105", line=7), left(code=code, line=8)
        outcome = FileOutcome("poetry.lock", FileStatus.UNCHANGED, remaining=(other, own))
        said = page(tmp_path, [outcome]).section("dependencies")
        assert "poetry.lock:7" in said and "poetry.lock:8" not in said

    @pytest.mark.parametrize("code", ["NPU110", "NPU101", "NPU1201"])
    def test_other_rules_say_nothing_of_dependencies(self, tmp_path: Path, code: str) -> None:
        assert page(tmp_path, [changed("a.py", "a\n", "b\n", code)]).section("dependencies") == ""


class TestUnexamined:
    def test_files_that_could_not_be_examined_come_with_the_reason(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("unexamined")
        assert "broken.py not valid Python 3: line 3: no" in said

    def test_kinds_of_file_are_counted_and_named(self, tmp_path: Path) -> None:
        said = page(tmp_path, [READY], others=["train.sh", "a.yaml", "README.md"]).section("unexamined")
        assert "Other kinds of file, copied unchanged: 3" in said
        assert "shell scripts and makefiles 1 may matter train.sh" in said
        assert "data, images 1 no README.md" in said

    def test_nothing_is_said_to_be_all(self, tmp_path: Path) -> None:
        assert "Every file of the project was examined." in page(tmp_path, [READY]).section("unexamined")


class TestRules:
    def test_edits_are_counted_by_rule(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("changes")
        assert "NPU101 A name below torch.cuda is used 2" in said

    def test_each_rule_on_the_page_is_explained(self, tmp_path: Path) -> None:
        said = page(tmp_path, ALL).section("rules")
        for code in ("NPU101", "NPU104", "NPU502", "NPU520"):
            assert code in said
        assert "Why it matters on the NPU:" in said


def test_notices_are_told_once(tmp_path: Path) -> None:
    made = page(tmp_path, [READY], notices=("an obstacle", "a notice"), obstacles=("an obstacle",))
    assert made.section("notices") == "Notices a notice"


def test_the_reports_beside_it_are_linked(tmp_path: Path) -> None:
    assert '<a href="change_list.csv">' in page(tmp_path, [READY], reports=("change_list.csv",)).html


def test_the_page_is_in_chinese(tmp_path: Path) -> None:
    made = page(tmp_path, ALL, "zh", ["train.sh"])
    assert '<html lang="zh-CN">' in made.html
    assert "尚不能训练" in made.section("readiness")
    assert "错误：2（原因：1）" in made.section("findings")
    assert "shell 脚本和 makefile 1 可能涉及 train.sh" in made.section("unexamined")
