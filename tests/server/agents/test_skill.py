"""The skill says nothing that is not so: each command runs, each name exists, and both languages agree."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.agents.skill_files import copy_skill, skill_directory
from gpu2ascend.project.errors import OutputError
from gpu2ascend.texts.api_page import api_page
from gpu2ascend.texts.verdicts import is_variable
from gpu2ascend_rules import rule_by_code
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST

from .tools.test_schemas import tools

SKILL = skill_directory()
PAGES = sorted(SKILL.rglob("*.md"))
ENGLISH = [path for path in PAGES if not path.stem.endswith(".zh-CN")]
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_NAME = re.compile(r"(?:torch|torch_npu|flash_attn)(?:\.\w+)+")
_PARTS = ("NAME", "CODE", "--force", "accelerator", "--compare", "mcp", "lsp")
"""Words of what is no whole command."""
TRAIN = """\
import torch


def spread(values):
    return torch.cuda.comm.broadcast(values, [0, 1])


model = torch.nn.Linear(2, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    loss = model(torch.ones(4, 2).cuda()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LOG = "RuntimeError: HcclAllReduce, error code is EI0006\n"


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def commands(path: Path) -> list[str]:
    """The commands of the blocks of a page, then those within its lines that name no placeholder."""
    text = text_of(path)
    blocks = [line for block in _BLOCK.findall(text) for line in block.splitlines() if line]
    spans = [span for span in _SPAN.findall(_BLOCK.sub("", text)) if span.startswith("gpu2ascend ")]
    return [*blocks, *(span for span in spans if not set(_PARTS) & set(span.split()))]


def names(path: Path) -> set[str]:
    """The API names in the text of a page, without the modules that stand for all below them."""
    found = {name for span in _SPAN.findall(text_of(path)) for name in _NAME.findall(span)}
    return found - {"torch.cuda", "torch_npu.npu", "torch.npu"}


def twin(path: Path) -> Path:
    return path.with_name(f"{path.stem}.zh-CN.md")


def test_there_is_a_skill_with_references_in_both_languages() -> None:
    assert {path.name for path in ENGLISH} == {"SKILL.md", "loop.md", "limits.md", "constructs.md"}
    assert len(PAGES) == 2 * len(ENGLISH)
    assert re.match(r"---\nname: gpu2ascend\ndescription: \S.{50,1000}\n---\n", text_of(SKILL / "SKILL.md"))


@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: str(path.stem))
def test_both_languages_have_the_same_commands_names_and_codes(path: Path) -> None:
    assert commands(path) == commands(twin(path)) and names(path) == names(twin(path))
    code = re.compile(r"\bNPU\d+\b")
    assert sorted(code.findall(text_of(path))) == sorted(code.findall(text_of(twin(path))))
    for one, other in ((path, twin(path)), (twin(path), path)):
        assert f"({other.name})" in text_of(one)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.name))
def test_every_link_leads_to_a_page_of_the_skill(path: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", text_of(path))
    assert links and [link for link in links if not (path.parent / link).is_file()] == []


def test_every_name_and_every_rule_exists() -> None:
    facts = Facts.load(NEWEST, Hardware.A2)
    found = set().union(*map(names, PAGES))
    assert "torch_npu.npu_rms_norm" in found
    for name in found:
        is_known = facts.npu_name_exists(name) if "npu" in name else api_page(name, facts).is_known
        assert is_known, name
    text = "".join(map(text_of, PAGES))
    assert [code for code in re.findall(r"\bNPU\d+\b", text) if rule_by_code(code) is None] == []
    assert [word for word in re.findall(r"\b[A-Z]+_VISIBLE_DEVICES\b", text) if not is_variable(word)] == []


def test_a_name_that_does_not_exist_would_be_found() -> None:
    facts = Facts.load(NEWEST, Hardware.A2)
    assert not facts.npu_name_exists("torch_npu.npu_rmsnorm")
    assert not api_page("torch.cuda.no_such_name", facts).is_known


def test_the_table_of_the_skill_has_every_tool() -> None:
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \| `gpu2ascend", text_of(SKILL / "SKILL.md"), re.MULTILINE)
    assert sorted(rows) == sorted(tool.name for tool in tools())


@pytest.mark.slow
@pytest.mark.execution
def test_every_command_runs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    project = tmp_path / "my_project"
    project.mkdir()
    (project / "train.py").write_text(TRAIN)
    (tmp_path / "train.log").write_text(LOG)
    listed = [*commands(SKILL / "references" / "loop.md"), *commands(SKILL / "SKILL.md")]
    assert len(listed) > 15
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done: set[str] = set()
    for line in dict.fromkeys(listed):
        words = shlex.split(line)
        assert words[0] == "gpu2ascend"
        if words[1] == "verify":
            words[2:2] = ["--python", sys.executable]
        if words[1] == "migrate" and "--diff" not in words and "migrate" in done:
            words.append("--force")
        ran = subprocess.run(
            [sys.executable, "-I", "-m", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode in (0, 1), f"{line}\n{ran.stderr}"
        assert "Traceback" not in ran.stderr
        if words[1] == "verify":
            assert ran.returncode == 0, f"{line}\n{ran.stdout}"
        done |= {words[1]} if "--diff" not in words else set()
    assert done == {"check", "migrate", "handover", "explain", "verify", "doctor"}


def test_the_skill_is_copied_and_replaces_nothing(tmp_path: Path) -> None:
    copied = copy_skill(tmp_path / "skills")
    assert text_of(copied / "SKILL.md") == text_of(SKILL / "SKILL.md")
    (copied / "SKILL.md").write_text("mine")
    with pytest.raises(OutputError):
        copy_skill(tmp_path / "skills")
    assert text_of(copied / "SKILL.md") == "mine"
