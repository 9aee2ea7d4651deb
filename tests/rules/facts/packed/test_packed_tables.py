"""The packed tables as they are committed: whole, small, and consistent with themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import gpu2ascend_rules.facts.packed as package
import tools.support_tables as generator
from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.facts.names.long_names import MOST_PARTS
from gpu2ascend_rules.facts.names.npu_names import wheels
from gpu2ascend_rules.facts.packed.sorted_table import SortedTable
from gpu2ascend_rules.facts.version_set import read, set_of, versions_in
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from tools.support_tables.additions import additions
from tools.support_tables.columns import WITHOUT_TORCH_NPU, WITHOUT_WHEEL
from tools.support_tables.pack import packed_tables
from tools.support_tables.unpack import unpack_tables

FOLDER = Path(str(package.__file__)).parent
GENERATOR = Path(str(generator.__file__)).parent
TABLES = {path.name: path.read_bytes() for path in FOLDER.glob("*.tsv")}
ALL = set_of(SUPPORTED_VERSIONS)


def rows(table: str) -> list[list[str]]:
    return [row for row in SortedTable(TABLES[table]).starting_with("") if not row[0].startswith("#")]


def test_are_smaller_than_a_megabyte_and_a_half() -> None:
    assert 0 < sum(map(len, TABLES.values())) < 1_500_000


def test_a_status_is_looked_up_without_loading_what_only_other_questions_need() -> None:
    program = (
        "import sys\n"
        "from gpu2ascend_rules.model.hardware import Hardware\n"
        "from gpu2ascend_rules.facts import Facts\n"
        "from gpu2ascend_rules.model.versions import Version\n"
        "before = set(sys.modules)\n"
        "status = Facts.load(Version(2, 8, 0), Hardware.A2).status('torch.nn.Conv3d')\n"
        "print(status.name, *sorted(name for name in set(sys.modules) - before if '.facts' not in name))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["RESTRICTED"]


@pytest.mark.parametrize("table", TABLES)
def test_are_sorted_without_duplicates(table: str) -> None:
    keys = [line.split(b"\t")[0] for line in TABLES[table].splitlines()]
    assert keys == sorted(set(keys))


def test_are_what_they_unpack_to(tmp_path: Path) -> None:
    """So a further version can be added without collecting the others anew."""
    unpack_tables(TABLES, tmp_path)
    assert packed_tables(tmp_path) == TABLES


def test_know_the_wheel_of_every_version_that_has_one() -> None:
    expected = {str(v) for v in SUPPORTED_VERSIONS} - {str(v) for v in (*WITHOUT_WHEEL, WITHOUT_TORCH_NPU)}
    assert set(wheels()) == expected


class TestCounterparts:
    def test_exist_in_every_version_for_which_they_are_named(self) -> None:
        missing = [
            (str(version), counterpart.name)
            for name, versions, *_ in rows("counterparts.tsv")
            for version in versions_in(read(versions))
            if (counterpart := Facts.load(version, Hardware.A2).npu_counterpart(name)) is None
            or not Facts.load(version, Hardware.A2).npu_name_exists(counterpart.name)
        ]
        assert missing == []

    def test_have_one_of_the_known_relations(self) -> None:
        relations = {relation for _, _, relation, *_ in rows("counterparts.tsv")}
        assert relations == {"same_name", "renamed", "moved", "similar", "none"}

    def test_of_relation_none_are_in_no_version(self) -> None:
        assert [
            row for row in rows("counterparts.tsv") if row[2] == "none" and (read(row[1]) or row[3])
        ] == []

    def test_of_relation_same_name_have_it(self) -> None:
        other = [
            name
            for name, _, relation, npu_name, *_ in rows("counterparts.tsv")
            if (npu_name == "torch_npu.npu" + name.removeprefix("torch.cuda")) != (relation == "same_name")
            and relation not in ("none", "renamed", "moved", "similar")
        ]
        assert other == []

    def test_of_members_are_below_those_of_their_class(self) -> None:
        """``CUDAGraph`` and ``CUDAGraph.replay`` cannot have counterparts in two classes."""
        known = {row[0]: row for row in rows("counterparts.tsv") if row[3]}
        for name, row in known.items():
            parent = known.get(name.rpartition(".")[0])
            if parent is not None and row[2] in ("same_name", "renamed"):
                assert row[3].startswith(f"{parent[3]}."), name


class TestNpuNames:
    def test_are_never_there_without_what_holds_them(self) -> None:
        torch_build = set_of([WITHOUT_TORCH_NPU])  # has the namespace, but not the package around it
        versions = {row[0]: read(row[1]) & ~torch_build for row in rows("npu_names.tsv")}
        orphans = [
            name
            for name, bits in versions.items()
            if name.startswith("torch_npu.") and bits & ~versions[name.rpartition(".")[0]]
        ]
        assert orphans == []

    def test_are_in_some_version_each(self) -> None:
        assert [row for row in rows("npu_names.tsv") if not read(row[1]) or read(row[1]) & ~ALL] == []

    def test_of_the_version_without_torch_npu_are_its_namespace_alone(self) -> None:
        bit = set_of([WITHOUT_TORCH_NPU])
        others = [row[0] for row in rows("npu_names.tsv") if read(row[1]) & bit]
        assert len(others) > 30 and all(name.startswith("torch_npu.npu") for name in others)


class TestSupportLists:
    @pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
    def test_every_version_has_one_and_every_row_can_be_read(self, version: Version) -> None:
        facts = Facts.load(version, Hardware.A2)
        names = facts.listed_names("torch.")
        assert len(names) > 1000
        seen: set[SupportStatus] = set()
        for name in names:
            row = facts.row(name)
            assert row is not None and row.api == name
            seen.update(row.statuses.values())
            assert all(kinds for kinds in row.dtypes_on(Hardware.A2).values()), name
        assert {SupportStatus.SUPPORTED, SupportStatus.UNSUPPORTED} <= seen

    def test_only_the_950dt_is_unknown_in_a_list(self) -> None:
        facts = Facts.load(Version(2, 9, 0), Hardware.A2)
        statuses = [(facts.row(name), name) for name in facts.listed_names("torch.")]
        for row, name in statuses:
            assert row is not None
            assert row.status_on(Hardware.A2) is not SupportStatus.UNKNOWN, name


def test_additions_are_public_facts_with_a_source() -> None:
    text = (GENERATOR / "sources" / "additions.tsv").read_text("utf-8")
    assert all(line.split("\t")[5] for line in text.splitlines()[1:])
    assert all(entry.npu_name or entry.cuda_name for entry in additions())


def test_no_name_has_half_as_many_parts_as_are_looked_at() -> None:
    names = {row[0] for table in TABLES for row in rows(table)}
    assert len(names) > 5_000 and max(name.count(".") + 1 for name in names) <= MOST_PARTS // 2
