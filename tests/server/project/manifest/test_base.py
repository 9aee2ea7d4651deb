"""What a migration wrote is kept in its output, for the updates that merge into it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from gpu2ascend.project.manifest.base import BASE_NAME, DamagedBaseError, read_base
from gpu2ascend.project.manifest.ledger import differences
from gpu2ascend_rules.model.hardware import Hardware
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, make_tree

FILES = {"a.py": CUDA, "pkg/b.txt": "text\r\n", "data.bin": b"\0\1", "pointer": "version https://git-lfs.x\n"}


@pytest.fixture
def output(run: Migrate, tmp_path: Path) -> Path:
    """What a migration wrote."""
    return run(make_tree(tmp_path / "proj", FILES)).output


def test_texts_are_kept_as_they_were_written(output: Path) -> None:
    base = read_base(output)
    assert base.text("a.py") == MIGRATED.encode() == (output / "a.py").read_bytes()
    assert base.text("pkg/b.txt") == b"text\r\n"


def test_of_what_is_no_text_the_digest_is_kept(output: Path) -> None:
    base = read_base(output)
    assert base.text("data.bin") is None and len(base.entries["data.bin"].digest) == 64
    assert base.text("pointer") is None


def test_no_report_is_in_it_but_what_a_migration_adds_is(output: Path) -> None:
    entries = read_base(output).entries
    assert "env.sh" in entries and "pkg" in entries
    assert not {"MIGRATION.md", "report.html", "change_list.csv", BASE_NAME} & entries.keys()


def test_the_options_are_in_it_and_the_way_to_the_users_own_rules(run: Migrate, tmp_path: Path) -> None:
    rule = {"old_name": "f", "new_name": "g"}
    rules = make_tree(tmp_path / "rules", {"r.json": json.dumps({"rules": {"FuncNameModifyRule": [rule]}})})
    options = attrs.evolve(OPTIONS, custom_rule=str(rules / "r.json"), modelarts=True, hardware=Hardware.A3)
    output = run(make_tree(tmp_path / "proj", {"a.py": CUDA}), options=options).output
    kept = read_base(output).options
    assert (kept["version"], kept["target"], kept["hardware"]) == ("2.8.0", "torch_npu", "A3")
    assert kept["modelarts"] is True
    assert (output / str(kept["custom_rule"])).resolve() == rules / "r.json"
    assert str(tmp_path) not in json.dumps(dict(kept))


def test_the_same_migration_keeps_the_same_bytes(run: Migrate, output: Path, tmp_path: Path) -> None:
    again = run(tmp_path / "proj", output=tmp_path / "again").output
    assert (again / BASE_NAME).read_bytes() == (output / BASE_NAME).read_bytes()


def test_the_output_is_as_its_list_says_with_and_without(run: Migrate, output: Path, tmp_path: Path) -> None:
    without = run(tmp_path / "proj", output=tmp_path / "again", keeps_base=False)
    for place in (output, without.output):
        found = differences(place)
        assert found is not None and found.count == 0
    assert without.result.base_size is None and not (without.output / BASE_NAME).exists()
    with pytest.raises(FileNotFoundError):
        read_base(without.output)


def _another_text(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data.replace(b"torch_npu", b"torch_gpu") if name != "base.json" else data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "no archive": lambda path: path.write_bytes(b"zip"),
    "another text": _another_text,
    "a link": lambda path: (path.rename(path.with_name("x")), path.symlink_to("x")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_one_is_never_used(output: Path, damage: str) -> None:
    DAMAGE[damage](output / BASE_NAME)
    with pytest.raises(DamagedBaseError):
        base = read_base(output)
        for path in base.entries:
            base.text(path)
