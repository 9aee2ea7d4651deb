"""What a training server can leave out: what starts without it, what is said, and what the page lists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"jedi", "lsprotocol", "pygls"}
WITHOUT = (*LEFT_OUT, "parso", "cattrs", "yaml", "mcp")
PROGRAM = f"""
import sys
sys.modules.update(dict.fromkeys({WITHOUT!r}))
from gpu2ascend.__main__ import main
raise SystemExit(main(sys.argv[1:]))
"""
FILES = {
    "a.py": "import torch\nfrom b import make\n\ntorch.ones(2).cuda()\nmake().to_dense()\n",
    "b.py": "import torch\n\n\ndef make():\n    return torch.zeros(1)\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def small(*words: object) -> tuple[int, str, str]:
    command = [sys.executable, "-c", PROGRAM, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


def test_files_are_checked_and_fixed(project: Path) -> None:
    code, out, err = small("check", project, "-v", "2.8.0", "--fix")
    assert (code, err) == (0, ""), out
    assert ".npu()" in (project / "a.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words", [["doctor"], ["verify", "--help"], ["record", "--help"], ["compare", "--help"]]
)
def test_what_a_training_server_runs_starts(words: list[str]) -> None:
    _, out, err = small(*words)
    assert out and "not installed" not in err and "internal error" not in err


@pytest.mark.slow
def test_a_migration_says_what_it_did_not_look_up(project: Path, tmp_path: Path) -> None:
    code, out, err = small("migrate", project, tmp_path / "out", "-v", "2.8.0")
    assert code == 0 and "unresolved: 1" in out
    assert err.count("jedi is not installed") == 1 and "(methods: 1): pip install 'jedi" in err
    assert "jedi is not installed" in small("analyze", project, "-v", "2.8.0")[2]


def test_nothing_is_said_where_nothing_would_have_been_looked_up(project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("import torch\ntorch.ones(2).cuda()\n", encoding="utf-8")
    assert "jedi" not in small("migrate", project, tmp_path / "out", "-v", "2.8.0")[2]


@pytest.mark.parametrize(("command", "needs"), [("lsp", "pygls"), ("mcp", "mcp")])
def test_a_command_that_cannot_run_says_in_one_line_what_it_needs(command: str, needs: str) -> None:
    code, out, err = small(command)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert re.search(rf"is not installed: pip install '{needs}[<>=\d.,]+'", err)


@pytest.mark.parametrize("page", ["offline.md", "offline.zh-CN.md"])
def test_the_page_names_what_is_left(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"pip install --no-deps (gpu2ascend .*)", text)
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = {Requirement(each).name for each in metadata["project"]["dependencies"]}
    assert set(line.split()) == {"gpu2ascend", *asked} - LEFT_OUT - {"tomli"}
    assert asked > LEFT_OUT
