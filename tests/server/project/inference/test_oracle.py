"""Receivers that only the rest of the project tells of, asked of jedi in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.inference.oracle import JediOracle, Limits
from gpu2ascend_rules.model.type_oracle import Question
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import unresolved_members
from tests.server.project.samples import Files, make_tree

pytestmark = pytest.mark.slow
OPTIONS = options_from({"version": "2.8.0"})
LIBRARY = """\
import torch
from torch import nn
from elsewhere import unknown

def make(n):
    return torch.zeros(n).view(-1)

def annotated() -> torch.Tensor:
    return unknown()

def annotated_in_part(x: torch.Tensor) -> torch.Tensor | unknown:
    return x

def perhaps(n):
    if n:
        return torch.zeros(n)
    return unknown(n)

def either(n):
    return torch.zeros(n) if n else unknown(n)

class Holder:
    def __init__(self):
        self.tensor = make(3)
        self.mixed = make(3)
    def spoil(self):
        self.mixed = unknown()

class Net(nn.Module):
    def forward(self, x):
        return torch.relu(x)

class Shared(nn.Module):
    def share_memory(self):
        return self

class Mixed(unknown, nn.Module):
    pass

LAYER = nn.Linear(1, 1)
"""
FILES = {"pkg/__init__.py": "from .library import make as exported\n", "pkg/library.py": LIBRARY}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("in") / "proj", FILES)


@pytest.fixture(scope="module")
def oracle(project: Path) -> Iterator[JediOracle]:
    with JediOracle(project, OPTIONS) as started:
        yield started


def question(root: Path, code: str) -> Question:
    """The one question that a new file of the project leaves open."""
    path = f"main{len(list(root.iterdir()))}.py"
    (root / path).write_text(code, encoding="utf-8")
    (member,) = unresolved_members(SourceFile(code, path), OPTIONS, ProjectFiles(root))
    return member.question


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from pkg.library import make\nx = make(3)\nx.to_dense()\n", "torch.Tensor"),
        ("from pkg import exported\nexported(3).to_dense()\n", "torch.Tensor"),
        ("import pkg.library as lib\nlib.make(3).to_dense()\n", "torch.Tensor"),
        ("from pkg.library import annotated\nannotated().to_dense()\n", "torch.Tensor"),
        ("from pkg.library import Holder\nHolder().tensor.to_dense()\n", "torch.Tensor"),
        ("from pkg.library import Net\nNet().share_memory()\n", "torch.nn.Module"),
        ("from pkg.library import LAYER\nLAYER.share_memory()\n", "torch.nn.Linear"),
        ("from pkg.library import Shared\nShared().share_memory()\n", ""),
        ("from pkg.library import either\neither(make).to_dense()\n", None),
        ("from pkg.library import perhaps\nperhaps(1).to_dense()\n", None),
        ("from pkg.library import either\nx = either(1)\nx.to_dense()\n", None),
        ("from pkg.library import Holder\nHolder().mixed.to_dense()\n", None),
        ("from pkg.library import Mixed\nMixed().share_memory()\n", None),
        ("from pkg.library import make, perhaps\nx = make(1)\nx = perhaps(1)\nx.to_dense()\n", None),
        ("from pkg.library import nothing\nnothing().to_dense()\n", None),
        ("from pkg.library import annotated_in_part\nannotated_in_part(1).to_dense()\n", None),
        ("from pkg.library import Net\ndef f(net: Net):\n    net.share_memory()\n", "torch.nn.Module"),
        (
            "from pkg import library\ndef f(n: 'library.Net' = None):\n    n.share_memory()\n",
            "torch.nn.Module",
        ),
        (
            "from typing import Optional\nfrom pkg.library import Net\n"
            "def f(net: Optional[Net]):\n    net.share_memory()\n",
            "torch.nn.Module",
        ),
        (
            "from typing import Union\nfrom elsewhere import Any\nfrom pkg.library import Net\n"
            "def f(net: Union[Net, Any]):\n    net.share_memory()\n",
            None,
        ),
        ("from pkg.library import Shared\ndef f(net: Shared):\n    net.share_memory()\n", ""),
        (
            "from pkg.library import Net\nclass Trainer:\n    def __init__(self, net: Net):\n"
            "        self.net = net\n    def run(self):\n        self.net.share_memory()\n",
            "torch.nn.Module",
        ),
        (
            "from pkg.library import make\nclass Trainer:\n    def __init__(self, net):\n"
            "        self.net = make(net)\n    def run(self):\n        self.net = net()\n"
            "        self.net.to_dense()\n",
            None,
        ),
    ],
)
def test_what_the_project_proves(project: Path, oracle: JediOracle, code: str, expected: str | None) -> None:
    assert oracle.class_of(question(project, f"import torch\n{code}")) == expected


def test_an_answer_does_not_depend_on_earlier_ones(project: Path, oracle: JediOracle) -> None:
    asked = question(project, "import torch\nfrom pkg.library import Holder\nHolder().tensor.to_dense()\n")
    with JediOracle(project, OPTIONS) as fresh:
        assert fresh.class_of(asked) == oracle.class_of(asked) == "torch.Tensor"


def test_what_takes_too_long_stays_unresolved_and_the_next_question_is_answered(project: Path) -> None:
    asked = question(project, "import torch\nfrom pkg.library import make\nmake(3).to_dense()\n")
    with JediOracle(project, OPTIONS, Limits(for_a_question=0)) as hasty:
        assert hasty.class_of(asked) is None
        hasty._limits = Limits()
        assert hasty.class_of(asked._replace(bindings=())) is None  # asked once
        assert hasty.class_of(asked._replace(bindings=(asked.member,))) is None
    with JediOracle(project, OPTIONS, Limits(questions=0)) as silent:
        assert silent.class_of(asked) is None


def test_a_process_that_dies_is_replaced(project: Path) -> None:
    asked = question(project, "import torch\nfrom pkg.library import make\nmake(3).to_dense()\n")
    gone = asked._replace(path="gone.py")
    with JediOracle(project, OPTIONS) as oracle:
        assert oracle.class_of(gone) is None
        assert oracle._process is not None
        oracle._process.kill()
        oracle._process.join()
        assert oracle.class_of(gone._replace(name="other")) is None
        assert oracle.class_of(asked) == "torch.Tensor"


def test_nothing_that_it_wrote_stays_behind(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    asked = question(project, "import torch\nfrom pkg.library import make\nmake(3).to_dense()\n")
    with JediOracle(project, OPTIONS) as oracle:
        assert oracle.class_of(asked) == "torch.Tensor"
        assert list(temporary.iterdir()) != []
    assert list(temporary.iterdir()) == []


def test_nor_when_this_process_has_gone(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    oracle = JediOracle(project, OPTIONS)
    asked = question(project, "import torch\nfrom pkg.library import make\nmake(3).to_dense()\n")
    assert oracle.class_of(asked) == "torch.Tensor"
    assert oracle._process is not None and oracle._private is not None
    oracle._process.channel.close()  # as the system does then
    oracle._process.join()
    assert not oracle._private.path.exists()


TRAP = "open({marker!r}, 'a').write(__name__)\n"
PROGRAM = """\
import sys
from gpu2ascend.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.mark.parametrize("command", [("analyze", ".", "--json"), ("migrate", "-i", ".", "-o", "{out}")])
def test_nothing_of_the_project_is_run(
    make: Callable[[Files], Path], tmp_path: Path, command: tuple[str, ...]
) -> None:
    marker = tmp_path / "ran"
    trap = TRAP.format(marker=str(marker))
    names = ("sitecustomize", "usercustomize", "conftest", "jedi", "parso", "torch", "setup", "gi", "typing")
    interpreter = f'#!/bin/sh\necho ran >> {marker}\nexec {sys.executable} "$@"\n'
    root = make(
        {
            **{f"{name}.py": trap for name in names},
            "__init__.py": trap,
            "pkg/__init__.py": trap,
            "pkg/library.py": trap + LIBRARY,
            "pkg/native.cpython-311-x86_64-linux-gnu.so": b"\x7fELF",
            "main.py": (
                "import torch, gi, conftest, pkg.native\nfrom pkg.library import make\nmake(3).to_dense()\n"
                "def test_it(fixture: 'pkg.library.Net'):\n    fixture.share_memory()\n"
            ),
            "venv/pyvenv.cfg": f"home = {Path(sys.executable).parent}\n",
            "venv/bin/python": interpreter,
            ".jedi/project.json": '[1, {"environment_path": "venv/bin/python"}]',
        }
    )
    (root / "venv/bin/python").chmod(0o755)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "VIRTUAL_ENV": str(root / "venv"), "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [item.format(out=tmp_path / "out") for item in command]
    done = subprocess.run(
        [sys.executable, str(program), *arguments, "-v", "2.8.0"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "NPU001" in done.stdout, done.stderr
    assert not marker.exists()


def test_code_of_the_project_could_not_be_run_if_something_tried(tmp_path: Path) -> None:
    script = f"""
from gpu2ascend.project.inference import worker
worker._forbid_running({str(tmp_path)!r})
for attempt in (
    lambda: exec(compile("1", {str(tmp_path / "x.py")!r}, "exec")),
    lambda: __import__("subprocess").run(["true"]),
    lambda: __import__("os").system("true"),
):
    try:
        attempt()
    except worker.ForbiddenError:
        print("forbidden")
exec(compile("print('allowed')", "elsewhere.py", "exec"))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["forbidden", "forbidden", "forbidden", "allowed"]
