"""A module is assembled from the parts that are asked for, and runs on old Pythons."""

from __future__ import annotations

import ast
import builtins
from itertools import combinations

import pytest

from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.similar.assemble import (
    UnknownPartError,
    assemble,
    is_ours,
    modules,
    part_names,
    parts_of,
    stand_ins,
)
from gpu2ascend_rules.similar.package import package_files
from gpu2ascend_rules.similar.replacements import FORMULAS, replacements
from gpu2ascend_rules.text.source_file import SourceFile

FORMS = {"conv3d", "conv3d_slices"}
USED = {item.part for items in replacements().values() for item in items} | FORMULAS.keys()


def top_level(text: str) -> list[str]:
    """The names that a module defines, each time that it does."""
    names: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.append(node.name)
    return names


@pytest.mark.parametrize("part", sorted(part_names()))
def test_each_part_is_python_3_7_and_whole(part: str) -> None:
    text = assemble([part])
    tree = ast.parse(text, feature_version=(3, 7))
    defined = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            defined.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            defined.add(node.id)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert used <= defined
    assert not any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))


@pytest.mark.parametrize("pair", [p for p in combinations(sorted(USED), 2) if set(p) != FORMS], ids="+".join)
def test_parts_together_define_everything_once(pair: tuple[str, str]) -> None:
    names = top_level(assemble(pair))
    assert sorted(names) == sorted(set(names))


def test_the_order_in_which_parts_are_asked_for_does_not_matter() -> None:
    assert assemble(["padding", "repeat_interleave"]) == assemble(["repeat_interleave", "padding"])


def test_an_unknown_part() -> None:
    with pytest.raises(UnknownPartError):
        assemble(["no_such_part"])


def test_a_module_names_its_parts() -> None:
    text = assemble(["padding", "repeat_interleave"])
    assert is_ours(text) and parts_of(text) == {"padding", "repeat_interleave"}
    assert not is_ours("import torch\n") and parts_of("import torch\n") == frozenset()


@pytest.mark.parametrize("version", ["1.5.0", "1.8.1", "2.3.1", "2.8.0"])
def test_nothing_is_found_in_a_module_of_ours(version: str) -> None:
    options: MigrationOptions = options_from(
        {"version": version, "replace_unsupported": True, "unsafe_fixes": True}
    )
    files = package_files(USED - {"conv3d"}, "en")
    modules = [text for name, text in files.items() if name.endswith(".py")]
    assert len(modules) == 2
    for text in modules:
        examined = text.replace("# gpu2ascend: ignore-file\n", "") + "\nimport torch\ntorch.cuda.init()\n"
        assert check(SourceFile(text), options) == ()
        assert "NPU101" in [item.code for item in check(SourceFile(examined), options)]


def test_every_replacement_is_defined_by_its_part_and_documented() -> None:
    for items in replacements().values():
        for item in items:
            tree = ast.parse(assemble([item.part]))
            owner = next(
                node for node in tree.body if getattr(node, "name", "") == item.name.partition(".")[0]
            )
            assert isinstance(owner, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(owner)
            for name in item.name.split(".")[1:]:
                assert name in {getattr(node, "name", "") for node in owner.body}


def test_the_readme_lists_what_is_there() -> None:
    readme = package_files({"rms_norm", "flash_attention"}, "en")["README.md"]
    for name in ("rms_norm", "flash_attn_func", "flash_attn_varlen_func"):
        assert f"`similar_api.{name}`" in readme
    assert "Conv3d" not in readme


@pytest.mark.parametrize(("api", "part"), sorted(stand_ins(MINDSPORE).items()))
def test_for_mindspore_each_part_defines_what_it_stands_for(api: str, part: str) -> None:
    text = assemble([part])
    ast.parse(text, feature_version=(3, 9))
    name = api.rpartition(".")[2]
    is_in_place = name.endswith("_") and not name.endswith("__")
    assert (name.removesuffix("_") if is_in_place else name) in top_level(text)
    assert f"`{api}`" in package_files({part}, "en")["README.md"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "count"),
    [
        ({"data_loader", "tensor_dataset", "dataset"}, 1),
        ({"data_loader", "save", "load"}, 2),
        (part_names(MINDSPORE), 15),
    ],
    ids=["loader", "both", "all"],
)
def test_for_mindspore_no_helper_file_has_more_than_200_lines(parts: set[str], count: int) -> None:
    found = modules(parts)
    assert len(found) == count and list(found)[-1] == MINDSPORE.module
    assert all(len(text.splitlines()) <= 200 for text in found.values())
    defined = [name for text in found.values() for name in top_level(text)]
    assert sorted(defined) == sorted(top_level(assemble(parts))) and len(defined) == len(set(defined))
    assert parts_of(found[MINDSPORE.module]) == set(parts)
    for text in found.values():
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.level:
                assert {one.name for one in node.names} <= set(top_level(found[node.module or ""]))


def test_no_part_of_one_package_is_called_as_one_of_the_other() -> None:
    assert not part_names(MINDSPORE) & part_names()
    assert part_names(MINDSPORE) >= {"data_loader", "load_pth"}
