"""What other programs read of the repository: package indexes, pre-commit, GitHub, Docker."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from gpu2ascend.cli.commands.check import _parser
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.kinds.registry import all_kinds
from tools.published_readme import with_whole_addresses

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://example.org/r"


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


def test_the_hooks_have_flags_that_there_are_and_keep_to_exclude() -> None:
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"entry: gpu2ascend check(.*)", text)
    assert len(entries) == 2
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
        others = ["README.md", "LICENSE", "notes.txt", "a.cpp", "docs/index.rst", "a.envoy", "my.pyc"]
        assert [name for name in others if wanted.search(name)] == []
        assert hook["types"] == ["text"] and "types_or" not in hook  # types that pre-commit knows


def test_no_input_of_the_action_is_code_of_its_shell() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    scripts = re.findall(r"run: \|\n((?: {8}.*\n)+)", text)
    assert scripts and "inputs." in text
    assert not any("${{" in script for script in scripts)


def test_the_image_has_what_the_build_reads() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M)
    names = {name for line in copied for name in line.split()}
    assert {f"!{name}" for name in names} <= set(ignored)
    assert all((ROOT / name).exists() for name in names)
