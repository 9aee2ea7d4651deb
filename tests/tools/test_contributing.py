"""CONTRIBUTING's example, followed word for word in a copy of the repository, passes the checks of a rule."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sampling import BEYOND_SAMPLE
from tests.tools.checkout import ROOT, copy_checkout, run_in

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"\]\(([^)#:]+)\)|`((?:rules|server|tests|docs)/[\w/.-]+)`")
EXAMPLE = "rules/gpu2ascend_rules/catalog/third_party/spacy_on_gpu.py"
EXAMPLES_OF_NPU410 = """    code = "NPU410"
    name = "multigpu-collective"
    examples = (
"""
OURS = ("DEV=", f"BIN={Path(sys.executable).parent.as_posix()}")
"""Variables of make: the environment of this test is set up already."""


class Block(NamedTuple):
    """A block of code in the document: shell commands, or text for a file."""

    language: str
    path: str
    text: str


def blocks(title: str) -> Iterator[Block]:
    """The blocks below a heading, in order."""
    section = TEXT.split(f"## {title}\n")[1].split("\n## ")[0]
    return (Block(*match.groups("")) for match in _BLOCK.finditer(section))


def follow(block: Block, checkout: Path) -> None:
    """Do what a reader does with a block."""
    if block.language == "sh":
        for line in block.text.splitlines():
            run_line(line, checkout)
        return
    path = checkout / block.path
    text = path.read_text(encoding="utf-8")
    tsv = row if "TODO" in text else added
    edit = {"python": whole, "json": messages, "tsv": tsv, "example": example}[block.language]
    path.write_text(edit(text, block.text), encoding="utf-8", newline="\n")


def run_line(line: str, checkout: Path) -> None:
    command, *arguments = shlex.split(line.partition("|")[0])
    if command == "make":
        arguments += OURS
    if command == "gpu2ascend":
        command, arguments = sys.executable, ["-m", "gpu2ascend", *arguments]
    done = run_in(checkout, command, *arguments)
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"


def whole(text: str, block: str) -> str:
    """The block in place of the skeleton."""
    assert "TODO" in text
    return block


def messages(text: str, block: str) -> str:
    """The block's messages in place of those that the skeleton has."""
    skeleton = "".join(line for line in text.splitlines(keepends=True) if "TODO" in line)
    assert len(skeleton.splitlines()) == 2
    if skeleton.endswith(",\n"):
        replaced = text.replace(skeleton, block)
    else:
        replaced = text.replace(skeleton, block.rstrip(",\n") + "\n")
    json.loads(replaced)
    return replaced


def row(text: str, block: str) -> str:
    """The block behind the id of the last row."""
    *others, last = text.splitlines(keepends=True)
    assert "TODO" in last
    return "".join([*others, last.partition("\t")[0], "\t", block])


def example(text: str, block: str) -> str:
    """The block before the other examples of the rule."""
    before, examples, behind = text.partition(EXAMPLES_OF_NPU410)
    assert examples
    return before + examples + block + behind


def added(text: str, block: str) -> str:
    """The block below the other rows."""
    return text + block


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.skipif((ROOT / EXAMPLE).exists(), reason="this checkout has followed the example already")
def test_the_rule_of_the_example_passes_its_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYPY_CACHE_DIR", str(ROOT / ".mypy_cache"))  # of all that the copy has unchanged
    checkout = copy_checkout(tmp_path / "checkout")
    for block in blocks("Add a rule in ten minutes"):
        follow(block, checkout)
    page = (checkout / "docs/coverage.md").read_text(encoding="utf-8")
    assert "NPU790" in page and "TODO" not in page


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_new_kind_of_file_and_a_rule_about_it_run(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    for block in blocks("A new kind of file"):
        follow(block, checkout)


@pytest.mark.slow
@BEYOND_SAMPLE
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_a_name_is_added_by_a_row_and_an_example(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    for block in blocks("Add a name in one line"):
        follow(block, checkout)
    golden = checkout / "tests/rules/catalog/goldens/NPU410.txt"
    assert "gather_multigpu" in golden.read_text(encoding="utf-8")


def test_every_step_has_a_block() -> None:
    found = [block.language for block in blocks("Add a rule in ten minutes")]
    assert found == ["sh", "python", "json", "tsv", "tsv", "sh", "sh"]


@pytest.mark.parametrize("target", _PATH.findall(TEXT))
def test_every_path_exists(target: tuple[str, str]) -> None:
    path = target[0] or target[1]
    assert (ROOT / path).exists() or path == EXAMPLE, path
