"""The first line says how much there is to do, with the commands that do some of it."""

from __future__ import annotations

import re

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.code_lens import code_lenses
from gpu2ascend_rules.check import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

URI = "file:///a.py"
OPTIONS = options_from({"version": "2.8.0"})
SAFE = "torch.cuda.synchronize()\n"
UNSAFE = "with torch.backends.cuda.sdp_kernel(enable_math=False):\n    pass\n"
MANUAL = "torch.cuda.comm.broadcast(x, [0, 1])\n"
MIGRATE, PREVIEW = "gpu2ascend.migrateFile", "gpu2ascend.previewMigration"


def lenses(code: str) -> list[types.CodeLens]:
    findings = check(SourceFile("import torch\n" + code), OPTIONS)
    return code_lenses(URI, findings, OPTIONS, "en")


def commands(code: str) -> list[str]:
    return [lens.command.command for lens in lenses(code) if lens.command is not None]


def test_where_there_is_nothing_to_do_there_is_no_lens() -> None:
    assert lenses("x = 1\n") == []


def test_each_command_is_about_the_file_and_stands_on_its_first_line() -> None:
    counts, *others = lenses(SAFE)
    assert counts.command is not None and counts.command.command == ""
    assert [lens.command.arguments for lens in others if lens.command is not None] == [[{"uri": URI}]] * 2
    start = types.Position(0, 0)
    assert [lens.range for lens in (counts, *others)] == [types.Range(start, start)] * 3


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(SAFE, ["", MIGRATE, PREVIEW], id="safe fixes"),
        pytest.param(UNSAFE, ["", PREVIEW], id="unsafe fixes, which a migration leaves"),
        pytest.param(MANUAL, [""], id="work for a person"),
        pytest.param(MANUAL + SAFE, ["", MIGRATE, PREVIEW], id="safe fixes beside work for a person"),
        pytest.param(MANUAL + UNSAFE, ["", PREVIEW], id="unsafe fixes beside work for a person"),
    ],
)
def test_what_can_be_changed_can_be_previewed_and_what_is_safe_migrated(
    code: str, expected: list[str]
) -> None:
    assert commands(code) == expected


def test_the_counts_are_what_a_migration_changes_and_what_it_leaves() -> None:
    def numbers(code: str) -> list[str]:
        command = lenses(code)[0].command
        assert command is not None
        return re.findall(r"\b\d+\b", command.title.replace("gpu2ascend", ""))

    assert numbers(SAFE * 3 + MANUAL * 2) == ["3", "2"]
    assert numbers(UNSAFE + SAFE) == ["1", "1"]
