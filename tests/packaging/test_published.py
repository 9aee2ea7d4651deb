"""What other programs read of the repository: package indexes, pre-commit, GitHub, Docker."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from gpu2ascend.cli.commands.projects.check import _parser
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.kinds.registry import all_kinds
from tests.server.project.git.samples import HAS_GIT, git
from tools.published_readme import main, repository_of, urls, with_whole_addresses

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/r"
CheckStep = Callable[..., tuple[int, str, str]]


def test_pictures_lead_to_files_and_links_to_pages() -> None:
    text = "![a](docs/a.png) [b](docs/b.md#c) [![d](e.svg)](LICENSE) [f](#f) [g](https://g.org)"
    assert with_whole_addresses(text, REPOSITORY) == (
        f"![a]({REPOSITORY}/raw/main/docs/a.png) [b]({REPOSITORY}/blob/main/docs/b.md#c) "
        f"[![d]({REPOSITORY}/raw/main/e.svg)]({REPOSITORY}/blob/main/LICENSE) [f](#f) [g](https://g.org)"
    )


def test_no_path_of_the_readme_is_left() -> None:
    readme = with_whole_addresses((ROOT / "README.md").read_text(encoding="utf-8"), REPOSITORY)
    assert not re.search(r"\]\((?!https?:|#)", readme)
    assert re.search(r"!\[[^\]]*\]\(https://example.org/r/raw/main/docs/images/", readme)


def test_the_readme_is_short_and_begins_with_the_proof() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 700 < len(text.split()) <= 1500
    assert "PASSED: 3 of 3 steps" in "\n".join(text.splitlines()[:40])


def test_without_an_address_the_readme_has_words_and_no_paths() -> None:
    text = "![a](docs/a.png) [b](docs/b.md#c) [![d](e.svg)](LICENSE) [f](#f) [g](https://g.org)"
    assert with_whole_addresses(text, "") == " b  [f](#f) [g](https://g.org)"
    assert urls("") == {} and urls(REPOSITORY)["Issues"] == f"{REPOSITORY}/issues"


@pytest.mark.parametrize(
    ("address", "of_extension", "code"),
    [
        ("", "", 1),
        ("github.com/a/b", "github.com/a/b", 1),
        ("https://example.org/", "https://example.org/", 1),
        (REPOSITORY, "", 1),
        (REPOSITORY, REPOSITORY, 0),
    ],
)
def test_a_release_needs_the_address_in_the_extension_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], address: str, of_extension: str, code: int
) -> None:
    manifest = {"homepage": of_extension} if of_extension else {"private": True}
    (tmp_path / "vscode-extension").mkdir()
    (tmp_path / "vscode-extension" / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(f'[a]\nrepository = "{address}"\n', encoding="utf-8")
    assert main(tmp_path) == code
    assert capsys.readouterr().out == ("" if code else f"{address}\n")


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md", "CONTRIBUTING.md", "action.yml"])
def test_no_page_names_a_repository_other_than_that_of_the_release(name: str) -> None:
    named = r"https://[\w.]+/[\w-]+/gpu2ascend"
    assert re.findall(named, "at https://github.com/OWNER/gpu2ascend.git")
    addresses = re.findall(named, (ROOT / name).read_text(encoding="utf-8"))
    assert set(addresses) <= {repository_of(ROOT)}


def test_the_hooks_have_flags_that_there_are_and_keep_to_exclude() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: python -I -m gpu2ascend check(.*)", text)
    assert len(entries) == 3
    for entry in entries:
        assert _parser(Texts("en")).read(entry.split()).force_exclude is True


def test_the_hooks_take_every_kind_of_file_and_no_other() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    names = ["a.py", "a.pyw", "a.ipynb", "deep/Dockerfile", "deep/Makefile", "deep/requirements.txt"]
    names += [pattern.replace("*", "x") for kind in all_kinds() for pattern in kind.patterns]
    names += [name.upper() for name in names]
    for hook in hooks:
        wanted = re.compile(hook["files"])
        assert [name for name in names if not wanted.search(name)] == []
        others = ["README.md", "LICENSE", "notes.txt", "a.rs", "docs/index.rst", "a.envoy", "my.pyc"]
        assert [name for name in others if wanted.search(name)] == []
        assert hook["types"] == ["text"] and "types_or" not in hook  # types that pre-commit knows


def test_no_input_of_the_action_is_code_of_its_shell() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    scripts = re.findall(r"run: \|\n((?: {8}.*\n)+)", text)
    assert scripts and "inputs." in text
    assert not any("${{" in script for script in scripts)


def test_the_actions_of_others_are_those_of_one_commit() -> None:
    """What a tag names can be changed by whoever takes over the repository of an action."""
    files = [ROOT / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]
    uses = [line for file in files for line in re.findall(r"uses: (.+)", file.read_text(encoding="utf-8"))]
    assert len(uses) >= 6
    assert [use for use in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", use)] == []


@pytest.fixture
def check_step(tmp_path: Path) -> CheckStep:
    """Runs the action's step `Check` on a project, given its inputs `paths` and `since`: exit code, output,
    SARIF."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (script,) = (step["run"] for step in action["runs"]["steps"] if step.get("id") == "check")
    program = tmp_path / "temp" / "gpu2ascend" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("import torch\nx = torch.zeros(1).cuda()\n", encoding="utf-8")
    (project / "empty.py").write_text("", encoding="utf-8")

    def run(paths: str, since: str = "") -> tuple[int, str, str]:
        output = tmp_path / "output"
        inputs = {"PATHS": paths, "VERSION": "2.8.0", "ARGUMENTS": "--no-advice\n\n", "SARIF": "found.sarif"}
        inputs["SINCE"] = since
        runner = {"RUNNER_TEMP": str(tmp_path / "temp"), "GITHUB_OUTPUT": str(output)}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        environment = os.environ | inputs | runner
        done = subprocess.run(
            command, cwd=project, env=environment, check=False, capture_output=True, text=True
        )
        sarif = (project / "found.sarif").read_text(encoding="utf-8")
        return done.returncode, output.read_text(encoding="utf-8") + done.stdout, sarif

    return run


@pytest.mark.slow
def test_the_action_annotates_and_leaves_a_document(check_step: CheckStep) -> None:
    code, output, sarif = check_step("a.py\n\nempty.py")
    assert (
        code == 0 and "exit-code=1\n" in output and "::warning title=gpu2ascend (NPU110),file=a.py" in output
    )
    assert {result["ruleId"] for result in json.loads(sarif)["runs"][0]["results"]} == {"NPU110"}


@pytest.mark.slow
def test_a_file_that_is_not_python_does_not_cost_the_others_their_findings(
    check_step: CheckStep, tmp_path: Path
) -> None:
    (tmp_path / "project" / "broken.py").write_text("import torch\nprint 'x'.cuda(\n", encoding="utf-8")
    code, output, sarif = check_step(".")
    assert code == 0 and "exit-code=1\n" in output
    assert [result["ruleId"] for result in json.loads(sarif)["runs"][0]["results"]] == ["NPU110"]


NEW = "import torch\ntorch.cuda.synchronize()\n"


@pytest.mark.slow
@pytest.mark.skipif(not HAS_GIT, reason="git is not installed")
def test_of_a_change_the_action_reports_its_lines_alone(check_step: CheckStep, tmp_path: Path) -> None:
    committed(tmp_path / "project")
    (tmp_path / "project" / "new.py").write_text(NEW, encoding="utf-8")
    code, output, sarif = check_step(".", "HEAD")
    assert code == 0 and "exit-code=1\n" in output and "file=new.py" in output and "file=a.py" not in output
    assert [result["ruleId"] for result in json.loads(sarif)["runs"][0]["results"]] == ["NPU101"]


@pytest.mark.slow
@pytest.mark.skipif(not HAS_GIT, reason="git is not installed")
def test_the_hook_for_changes_reports_the_lines_of_the_commit_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(NEW, encoding="utf-8")
    committed(tmp_path)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (entry,) = (hook["entry"] for hook in hooks if hook["id"] == "gpu2ascend-changes")
    words = [sys.executable, *entry.split()[1:], "-v", "2.8.0", "a.py"]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "a.py").write_text(f"{NEW}torch.cuda.init()\n", encoding="utf-8")
    git(tmp_path, "add", "a.py")
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "a.py:3" in done.stdout and "a.py:2" not in done.stdout


def committed(directory: Path) -> None:
    """Make a directory a repository with one commit."""
    git(directory, "init", "-q")
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", "first")


@pytest.mark.slow
def test_wrong_inputs_fail_the_job(check_step: CheckStep) -> None:
    code, output, sarif = check_step("gone")
    assert (code, sarif) == (2, "") and "exit-code=2\n" in output


def test_the_image_has_what_the_build_reads() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)
    names = {name for line in copied for name in line.split()}
    assert {f"!{name}" for name in names} <= set(ignored)
    assert all((ROOT / name).exists() for name in names)
