"""A command that is printed, on a page or in a script is the one that was meant, whatever names are in it."""

from __future__ import annotations

import ast
import html
import os
import re
import subprocess
from pathlib import Path

import pytest

import gpu2ascend
from gpu2ascend.lsp.commands.results.migration_result import next_steps
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.security.bounded import command

CODE = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=2)
for (x,) in loader:
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SCRIPTS = [
    "train.py",
    "train\ntouch PWNED.py",
    "-x.py",
    "--help.py",
    "@NNODES@.py",
    "@ENTRY@.py",
    "it's $(touch PWNED) `touch PWNED`.py",
    "a\u202eyp.py",
    "\udcff.py",
]
_STAND_INS = """\
show() { printf '%s\\0' "$@"; printf '\\n\\0'; }
for name in gpu2ascend python python3 source exec torchrun; do eval "$name() { show $name \\"\\$@\\"; }"; done
"""
"""What is called in place of the programs: it shows which words arrived."""


@pytest.fixture(params=SCRIPTS, ids=ascii)
def script(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path, script: str) -> Path:
    root = tmp_path / "pro\nject"
    root.mkdir()
    (root / script).write_text(CODE)
    return root


def calls(lines: str, at: Path) -> list[list[str]]:
    """The calls that come of lines which are pasted into a shell, each with its words."""
    ran = subprocess.run(["bash", "-c", _STAND_INS + lines], cwd=at, capture_output=True, check=True)
    found: list[list[str]] = [[]]
    for word in ran.stdout.split(b"\0")[:-1]:
        if word == b"\n":
            found.append([])
        else:
            found[-1].append(os.fsdecode(word))
    return found[:-1]


def as_named(script: str) -> str:
    return f"./{script}" if script.startswith("-") else script


def test_the_commands_that_a_migration_proposes_can_be_pasted(
    project: Path, tmp_path: Path, script: str
) -> None:
    done = command("migrate", "-i", project, "-o", "out", "-v", "2.8.0", at=tmp_path)
    assert done.returncode == 0, done.stderr
    output = tmp_path / "out" / "pro\nject_msft"
    lines = done.stdout.partition("Next:\n")[2]
    made = calls(lines, tmp_path)
    assert ["gpu2ascend", "verify", str(output), "--", as_named(script)] in made
    assert ["source", "./env.sh"] in made
    again = ["migrate", "-i", str(project), "-o", "out", "-v", "2.8.0", "--force", "--unsafe"]
    assert ["gpu2ascend", *again] in made
    assert {call[0] for call in made} <= {"gpu2ascend", "source", "python"}
    assert not list(tmp_path.rglob("PWNED"))


def test_so_can_those_of_the_report_page_and_of_an_editor(project: Path, tmp_path: Path, script: str) -> None:
    options = options_from({"version": "2.8.0"})
    done = migrate(MigrationRequest(input=project, output=tmp_path / "out", options=options))
    assert done.output_path is not None
    page = (done.output_path / "report.html").read_text("utf-8")
    (shown,) = re.findall(r'<code translate="no">(gpu2ascend verify [^<]*)</code>', page)
    assert calls(html.unescape(shown), tmp_path) == [["gpu2ascend", "verify", ".", "--", as_named(script)]]
    steps = {str(step["id"]): str(step["command"]) for step in next_steps(done, done.output_path)}
    assert calls(steps["environment"], tmp_path) == [["source", "./env.sh"]]


def test_a_launch_script_starts_the_main_file(project: Path, tmp_path: Path, script: str) -> None:
    values = {"version": "2.8.0", "distributed": True, "main_file": script, "launcher": "torchrun"}
    options = options_from(values)
    done = migrate(MigrationRequest(input=project, output=tmp_path / "out", options=options))
    assert done.output_path is not None
    text = (done.output_path / "run_torchrun.sh").read_text("utf-8")
    started = re.findall(r"^ *exec (torchrun --standalone .*)$", text, re.MULTILINE)
    (call,) = calls("NPROC_PER_NODE=8\n" + "\n".join(started), tmp_path)
    assert call == ["torchrun", "--standalone", "--nnodes=1", "--nproc_per_node=8", as_named(script)]


def test_commands_are_quoted_in_one_place() -> None:
    top = Path(gpu2ascend.__file__).parent
    found = set()
    for path in top.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "shlex.quote",
                "shlex.join",
                "subprocess.list2cmdline",
            ):
                found.add(path.relative_to(top).as_posix())
    assert found == {"texts/shell.py"}
