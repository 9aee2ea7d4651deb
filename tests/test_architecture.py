"""What ARCHITECTURE.md says: the tests that it names exist, its paths exist, and its boundaries hold."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
RULES = ROOT / "rules" / "gpu2ascend_rules"
SERVER = ROOT / "server" / "gpu2ascend"
TOP_LEVEL = {
    *("server", "vscode-extension", "rules", "tests", "benchmarks", "examples", "docs", "skills", "tools"),
    *(".ci", ".github", ".dockerignore", ".editorconfig", ".gitattributes", ".gitignore"),
    *(".pre-commit-hooks.yaml", "action.yml", "Dockerfile", "Makefile", "mkdocs.yml"),
    *("package.json", "package-lock.json", "pyproject.toml", "LICENSE"),
    *("README.md", "README.zh-CN.md", "SECURITY.md", "SECURITY.zh-CN.md"),
    *("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"),
}
"""What lies at the top of the repository: the rooms, and what hosts and tools expect there."""
COPIED = (
    RULES / "similar" / "parts",
    RULES.parent / "gpu2ascend_mindspore" / "helpers" / "parts",
    SERVER / "project" / "launchers" / "templates",
)
"""Files for migrated projects. They run there, with what is installed there."""
INVARIANTS = [
    line.strip("|").split("|")
    for line in TEXT.split("## Invariants\n")[1].split("\n## ")[0].splitlines()
    if line.startswith("|") and "::" in line
]


def test_nothing_else_lies_at_the_top() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    assert {path.partition("/")[0] for path in listed.stdout.split("\0") if path} == TOP_LEVEL


def modules(folder: Path, words: Iterable[str]) -> Iterator[tuple[Path, ast.Module]]:
    """The modules of the product below a folder that name one of the words, parsed."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words) and not any(path.is_relative_to(copied) for copied in COPIED):
            yield path, ast.parse(text)


def imported(tree: ast.Module) -> set[str]:
    """The top-level packages that a module imports, inside functions and for types too."""
    absolute = {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
    }
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.partition(".")[0] for name in absolute | plain}


def opening_modes(node: ast.AST) -> Iterator[str]:
    """The mode, as written, of a call of ``open``, the function or a path's method."""
    if not isinstance(node, ast.Call):
        return
    function = node.func
    is_method = isinstance(function, ast.Attribute) and function.attr == "open"
    if is_method or (isinstance(function, ast.Name) and function.id == "open"):
        place = 0 if is_method else 1
        modes = [*node.args[place : place + 1], *(item.value for item in node.keywords if item.arg == "mode")]
        yield from (ast.literal_eval(mode) for mode in modes or [ast.Constant("r")])


@pytest.mark.parametrize("row", INVARIANTS, ids=lambda row: row[0].strip())
def test_every_invariant_names_tests_that_exist(row: list[str]) -> None:
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", row[1])
    assert named
    for path, test in named:
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        assert any(isinstance(node, functions) and node.name == test for node in ast.walk(tree)), test


def test_the_rules_only_read_their_own_data() -> None:
    """No import of what lies above, of processes and connections, and no call that writes a file."""
    forbidden = {"gpu2ascend", "tools", "subprocess", "multiprocessing", "socket", "urllib", "http", "shutil"}
    writing = {"write_text", "write_bytes", "mkdir", "unlink", "rename", "touch", "rmdir"}
    for path, tree in modules(RULES, {*forbidden, *writing, "exec(", "eval(", "open("}):
        assert not imported(tree) & forbidden, path
        called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not {func.attr for func in called if isinstance(func, ast.Attribute)} & writing, path
        assert not {func.id for func in called if isinstance(func, ast.Name)} & {"exec", "eval"}, path
        assert {mode for node in ast.walk(tree) for mode in opening_modes(node)} <= {"r", "rb"}, path


@pytest.mark.parametrize(
    ("library", "package", "rooms"),
    [
        ("libcst", RULES, ("rewrite", "codemods")),
        ("jedi", SERVER, ("project/inference",)),
        ("pygls", SERVER, ("lsp",)),
        ("lsprotocol", SERVER, ("lsp",)),
    ],
)
def test_a_library_stays_in_its_rooms(library: str, package: Path, rooms: tuple[str, ...]) -> None:
    users = {
        path.relative_to(package) for path, tree in modules(package, [library]) if library in imported(tree)
    }
    assert users
    assert {path.as_posix() for path in users if not path.as_posix().startswith(rooms)} == set()


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)\)", TEXT))
def test_every_link_leads_somewhere(target: str) -> None:
    assert (ROOT / target).exists()


@pytest.mark.parametrize("text", ["import torch\n", "from torch import nn\nimport pytest\n"])
def test_an_import_of_torch_is_seen(text: str) -> None:
    assert imports_torch_unasked(text)
    assert not imports_torch_unasked(f"import pytest\npytest.importorskip('torch')\n{text}")


def test_no_file_of_tests_needs_torch_to_be_loaded() -> None:
    """Without torch, the other tests run: one file that cannot be loaded would end the run."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    assert len(paths) > 500
    assert [path.name for path in paths if imports_torch_unasked(path.read_text(encoding="utf-8"))] == []


def imports_torch_unasked(text: str) -> bool:
    """Whether a module imports torch at its top without skipping itself where there is none."""
    if re.search(r"^(import|from) torch\b", text, re.MULTILINE) is None:
        return False
    for statement in ast.parse(text).body:
        if "importorskip" in ast.unparse(statement):
            return False
        names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import) else []
        names += [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
        if any(name.partition(".")[0] == "torch" for name in names):
            return True
    return False
