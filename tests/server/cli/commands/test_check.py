"""``check`` finds, reports in every format, fixes in place, and says so by its exit code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.rules.broken_rules import breaks_texts, fails_in_rewrites

from ..conftest import FIXED, STUCK, TRAIN, Run, make_project

Breaking = Callable[[pytest.MonkeyPatch, str], None]
V = ("-v", "2.8.0")


class TestExitCodes:
    def test_0_when_clean(self, run: Run, project: Path) -> None:
        assert run("check", project / "data.py", *V) == (0, "No problems found.\n", "")

    def test_1_with_findings(self, run: Run, project: Path) -> None:
        ran = run("check", project, *V)
        assert (ran.code, ran.err) == (1, "")
        lines = ran.out.splitlines()
        assert lines[0].startswith(f"{project / 'train.py'}:3:")
        assert lines[1].startswith(f"{project / 'train.py'}:4:1: NPU101 [*] ")
        assert lines[2] == "Found 2 problems. [*] 2 fixable with --fix."

    def test_a_target_with_a_framework_of_its_own_needs_no_version(self, run: Run, tmp_path: Path) -> None:
        project = make_project(tmp_path / "plain", {"net.py": "import torch\nx = torch.ones(2)\n"})
        assert "PyTorch" in run("check", project).err
        ran = run("check", project, "--target", "mindspore")
        assert ran.err == "" and "MS001" in ran.out

    def test_2_for_a_path_that_does_not_exist(self, run: Run) -> None:
        ran = run("check", "missing.py", *V)
        assert (ran.code, ran.out) == (2, "")
        assert "missing.py" in ran.err and ran.err.count("\n") == 1

    def test_1_for_a_file_that_is_no_text_and_the_others_are_checked(self, run: Run, project: Path) -> None:
        (project / "bad.py").write_bytes(b"x = '\xff\xfe'\n")
        ran = run("check", project, *V)
        assert ran.code == 1
        assert "bad.py" in ran.err and "NPU101" in ran.out

    def test_the_current_directory_is_the_default(
        self, run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(project)
        ran = run("check", *V)
        assert ran.code == 1 and ran.out.startswith("train.py:3:")

    def test_flags_may_stand_between_paths(self, run: Run, project: Path) -> None:
        ran = run("check", project / "data.py", *V, project / "train.py")
        assert ran.code == 1

    def test_a_path_after_two_dashes_may_begin_with_one(self, run: Run, tmp_path: Path) -> None:
        make_project(tmp_path, {"-odd.py": TRAIN})
        assert run("check", *V, "--", "-odd.py").code == 1


class TestFix:
    def test_fixes_the_files_and_reports_what_it_fixed(self, run: Run, project: Path) -> None:
        ran = run("check", project, *V, "--fix")
        assert (ran.code, ran.err) == (0, "")
        assert (project / "train.py").read_text() == FIXED
        assert f"Fixed {project / 'train.py'}:" in ran.out
        assert "  4: NPU101 Replace `torch.cuda" in ran.out
        assert ran.out.endswith("Edits made: 3, in files: 1.\nNo problems found.\n")

    def test_what_is_left_is_still_reported(self, run: Run, tmp_path: Path) -> None:
        path = make_project(tmp_path, {"a.py": TRAIN + STUCK})
        ran = run("check", path, *V, "--fix")
        assert ran.code == 1
        assert ran.out.endswith("Found 1 problem. None can be fixed automatically.\n")

    def test_mode_encoding_and_line_ends_stay(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        text = "# -*- coding: gbk -*-\r\nimport torch\r\ntorch.cuda.empty_cache()  # 中文"
        path.write_bytes(text.encode("gbk"))
        path.chmod(0o750)
        assert run("check", path, *V, "--fix").code == 0
        fixed = path.read_bytes().decode("gbk")
        assert fixed == text.replace("torch\r\n", "torch\r\nimport torch_npu\r\n").replace(
            "torch.cuda", "torch_npu.npu"
        )
        assert path.stat().st_mode & 0o777 == 0o750

    def test_unsafe_fixes_only_when_asked_for(self, run: Run, tmp_path: Path) -> None:
        text = "import torch\ng = torch.cuda.CUDAGraph()\n"
        path = make_project(tmp_path, {"a.py": text}) / "a.py"
        ran = run("check", path, *V, "--fix")
        assert ran.code == 1 and path.read_text() == text
        assert "(1 with --fix --unsafe-fixes)" in ran.out
        assert run("check", path, *V, "--fix", "--unsafe-fixes").code == 0
        assert "NPUGraph" in path.read_text()


class TestSelection:
    def test_select_and_ignore(self, run: Run, project: Path) -> None:
        both = run("check", project, *V).out
        only = run("check", project, *V, "--select", "NPU101").out
        rest = run("check", project, *V, "--ignore", "NPU101").out
        assert "NPU101" in both and "NPU101" in only and "NPU101" not in rest
        assert "Found 1 problem." in only and "Found 1 problem." in rest

    def test_lists_and_repeated_flags(self, run: Run, project: Path) -> None:
        codes = [item["code"] for item in run("check", project, *V, "--output-format", "json").json]
        assert run("check", project, *V, "--ignore", ",".join(codes)).code == 0
        flags = [flag for code in codes for flag in ("--ignore", code)]
        assert run("check", project, *V, *flags).code == 0

    def test_exclude(self, run: Run, project: Path) -> None:
        assert run("check", project, *V, "--exclude", "train.py").code == 0


class TestSettings:
    def settings(self, project: Path, text: str) -> None:
        (project / "pyproject.toml").write_text(f"[tool.gpu2ascend]\n{text}\n", encoding="utf-8")

    def test_hold_without_flags(self, run: Run, project: Path) -> None:
        self.settings(project, 'version = "2.8.0"\nignore = ["NPU"]')
        done = run("check", project)
        assert done.code == 1 and done.out.startswith("No problems found.\nsilenced by the project itself")

    def test_hold_for_a_part_of_the_project(self, run: Run, project: Path) -> None:
        self.settings(project, 'version = "2.8.0"\nexclude = ["src/old"]\nentries = ["train.py"]')
        for name in ("src/a.py", "src/old/b.py"):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text("import torch\ntorch.cuda.empty_cache()\n", encoding="utf-8")
        (project / ".git").mkdir(exist_ok=True)
        done = run("check", project / "src")
        assert done.code == 1 and "a.py:2:1" in done.out and "b.py" not in done.out
        assert "b.py:2:1" in run("check", project / "src", "--no-project-settings", *V).out

    def test_an_entry_is_of_the_part_that_has_it(self, run: Run, project: Path) -> None:
        for name in ("one/a.py", "two/b.py"):
            (project / name).parent.mkdir()
            (project / name).write_text("import torch\ntorch.cuda.empty_cache()\n", encoding="utf-8")
        parts = (project / "one", project / "two")
        assert run("check", *parts, *V, "--entry", project / "two/b.py").code == 1
        refused = run("check", *parts, *V, "--entry", project / "train.py")
        assert refused.code == 2 and "train.py" in refused.err

    def test_flags_win(self, run: Run, project: Path) -> None:
        self.settings(project, 'version = "2.8.0"\nignore = ["NPU"]\nunsafe-fixes = true')
        assert "[*]" in run("check", project, "--ignore", "NPU101", "--no-unsafe").out

    def test_choose_the_language_unless_the_flag_does(self, run: Run, project: Path) -> None:
        self.settings(project, 'version = "2.8.0"\nlanguage = "zh"')
        assert run("check", project / "data.py").out == "未发现问题。\n"
        assert run("check", project / "data.py", "--language", "en").out == "No problems found.\n"

    def test_errors_after_the_settings_are_in_their_language(self, run: Run, project: Path) -> None:
        self.settings(project, 'version = "2.8.0"\nlanguage = "zh"')
        assert run("check", project, "--select", "NPU999").err.startswith("gpu2ascend: 错误：")

    @pytest.mark.parametrize(
        ("text", "reported"),
        [("verison = '2.8.0'", "verison"), ("version = '9.9'", "9.9"), ("version =", "")],
    )
    def test_mistakes_are_errors(self, run: Run, project: Path, text: str, reported: str) -> None:
        self.settings(project, text)
        ran = run("check", project)
        assert ran.code == 2
        assert "pyproject.toml" in ran.err and reported in ran.err and ran.err.count("\n") == 1


class TestVersion:
    def test_comes_from_the_requirements(self, run: Run, project: Path) -> None:
        (project / "requirements.txt").write_text("torch==2.8.0\n")
        ran = run("check", project)
        assert ran.code == 1 and "2.8.0" in ran.err and "requirements.txt" in ran.err

    def test_also_of_a_file_further_down(self, run: Run, project: Path) -> None:
        make_project(project, {"requirements.txt": "torch==2.8.0\n", "pkg/a.py": TRAIN})
        assert run("check", project / "pkg" / "a.py").code == 1
        assert run("check", project / "pkg").code == 1

    def test_without_any_files_are_read_for_the_newest(self, run: Run, project: Path) -> None:
        ran = run("check", project)
        assert ran.code == 1 and "NPU101" in ran.out
        assert ran.err.startswith("gpu2ascend: notice: ") and str(NEWEST) in ran.err

    def test_without_any_no_file_is_changed_and_the_versions_are_listed(
        self, run: Run, project: Path
    ) -> None:
        before = (project / "train.py").read_text()
        ran = run("check", project, "--fix")
        assert (ran.code, ran.out) == (2, "")
        assert str(NEWEST) in ran.err and "1.5.0" in ran.err
        assert (project / "train.py").read_text() == before

    def test_a_requirement_on_torch_is_a_version(self, run: Run, project: Path) -> None:
        ran = run("check", project, "-v", "torch>=1.7,<2.3")
        assert ran.code == 1 and "2.2.0" in ran.err

    def test_another_patch_release_gets_a_notice(self, run: Run, project: Path) -> None:
        ran = run("check", project / "data.py", "-v", "2.8.1+cu121")
        assert ran.code == 0
        assert ran.err.startswith("gpu2ascend: notice: ") and "2.8.0" in ran.err


class TestFormats:
    def test_json(self, run: Run, project: Path) -> None:
        ran = run("check", project, *V, "--output-format", "json")
        assert ran.code == 1
        found = [item for item in ran.json if item["code"] == "NPU101"]
        assert [item["filename"] for item in found] == [str(project / "train.py")]
        assert found[0]["location"] == {"row": 4, "column": 1}
        assert found[0]["end_location"] == {"row": 4, "column": 23}
        contents = {edit["content"] for edit in found[0]["fix"]["edits"]}
        assert contents == {"torch_npu.npu.empty_cache", "\nimport torch_npu"}

    def test_json_when_clean(self, run: Run, project: Path) -> None:
        ran = run("check", project / "data.py", *V, "--output-format", "json")
        assert (ran.code, ran.json) == (0, [])

    def test_sarif(self, run: Run, project: Path) -> None:
        log = run("check", project, *V, "--output-format", "sarif").json
        assert {result["ruleId"] for result in log["runs"][0]["results"]} >= {"NPU101"}

    def test_github(self, run: Run, project: Path) -> None:
        lines = run("check", project, *V, "--output-format", "github").out.splitlines()
        assert len(lines) == 2
        assert all(line.startswith("::warning title=gpu2ascend (NPU") for line in lines)

    def test_every_format_reports_a_file_that_could_not_be_checked(self, run: Run, project: Path) -> None:
        (project / "bad.py").write_bytes(b"x = '\xff\xfe'\n")
        for name in ("text", "json", "sarif", "github"):
            ran = run("check", project, *V, "--output-format", name)
            assert ran.code == 1 and "bad.py" in ran.err


class TestPromises:
    """``check`` marks as fixable what ``check --fix`` fixes, and nothing else."""

    BROKEN = (f"{TRAIN}def (:\n").encode()
    UNWRITABLE = b"# coding: utf-7\nimport torch\nx = torch.ones(1).cuda()\ny = '+AOkA6Q-+AOk-'\n"

    @pytest.mark.parametrize("content", [BROKEN, UNWRITABLE], ids=["broken", "encoding"])
    @pytest.mark.parametrize("flags", [(), ("--fix",)])
    def test_nothing_is_fixable_in_a_file_that_fix_refuses(
        self, run: Run, tmp_path: Path, content: bytes, flags: tuple[str, ...]
    ) -> None:
        file = tmp_path / "train.py"
        file.write_bytes(content)
        ran = run("check", file, *V, *flags)
        assert "[*]" not in ran.out and "fixed automatically" in ran.out
        assert file.read_bytes() == content

    def test_in_a_sound_file_it_is_fixed(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "train.py"
        file.write_bytes(b"# coding: latin-1\nimport torch\nx = torch.ones(1).cuda()\ny = '\xe9'\n")
        assert "[*]" in run("check", file, *V).out
        assert run("check", file, *V, "--fix").code == 0


@pytest.mark.parametrize("breaking", [breaks_texts, fails_in_rewrites])
def test_fix_makes_the_other_edits_and_ends_with_1(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, breaking: Breaking
) -> None:
    breaking(monkeypatch, "NPU110")
    project = make_project(tmp_path / "broken", {"train.py": TRAIN})
    ran = run("check", project, *V, "--fix")
    assert (project / "train.py").read_text() == FIXED.replace(".npu()", ".cuda()")
    assert (ran.code, ran.err) == (1, "")
    assert f"{project / 'train.py'}:4:5: NPU110 " in ran.out and "This fix was not made" in ran.out


def test_where_a_rule_failed_is_printed_if_asked(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_in_rewrites(monkeypatch, "NPU110")
    monkeypatch.setenv("GPU2ASCEND_DEBUG", "1")
    ran = run("check", project, *V, "--fix")
    assert ran.code == 1 and "KeyError: 'none such'" in ran.err


@pytest.mark.parametrize(
    ("lines", "left"), [("3", 1), ("4", 1), ("3-4", 0), ("1-2", 2), ("5", 2)], ids=lambda value: str(value)
)
def test_fixes_of_some_lines_only(run: Run, tmp_path: Path, lines: str, left: int) -> None:
    project = make_project(tmp_path / "p", {"a.py": TRAIN})
    shown = run("check", "--diff", "--lines", lines, project / "a.py", "-v", "2.8.0")
    assert (shown.code == 1) is (left < 2)
    run("check", "--fix", "--lines", lines, project / "a.py", "-v", "2.8.0")
    text = (project / "a.py").read_text()
    assert len(run("check", project, "-v", "2.8.0", "--output-format", "json").json) == left
    assert ("torch_npu" in text) is (left < 2)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--fix", "--lines", "0", "p/a.py"), "--lines 0"),
        (("--fix", "--lines", "4-3", "p/a.py"), "--lines 4-3"),
        (("--fix", "--lines", "x", "p/a.py"), "--lines x"),
        (("--fix", "--lines", "3", "p"), "one file"),
        (("--fix", "--lines", "3", "p/a.py", "p/a.py"), "one file"),
        (("--fix", "--lines", "3", "p/n.ipynb"), "notebook"),
        (("--fix", "--lines", "3", "-"), "one file"),
        (("--lines", "3", "p/a.py"), "--fix or --diff"),
    ],
)
def test_lines_are_those_of_one_file_that_is_fixed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], reason: str
) -> None:
    make_project(tmp_path / "p", {"a.py": TRAIN, "n.ipynb": "{}"})
    monkeypatch.chdir(tmp_path)
    ran = run("check", "-v", "2.8.0", *arguments)
    assert ran.code == 2 and reason in ran.err
    assert (tmp_path / "p" / "a.py").read_text() == TRAIN
