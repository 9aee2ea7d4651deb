"""Step two: what the packed tables are made of, on TSV files of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.facts.packed.sorted_table import SortedTable
from gpu2ascend_rules.facts.version_set import read, versions_in
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from tests.tools.support_tables.tsv_folder import TsvFolder
from tools.support_tables.pack import packed_tables
from tools.support_tables.summary import summary
from tools.support_tables.tsv import TsvError, read_rows, write_rows
from tools.support_tables.unpack import unpack_tables


def found(tables: dict[str, bytes], table: str, key: str) -> list[str]:
    row = SortedTable(tables[table]).find(key)
    assert row is not None, f"{key} is not in {table}"
    return row


def versions(tables: dict[str, bytes], table: str, key: str) -> list[str]:
    return [str(version) for version in versions_in(read(found(tables, table, key)[0]))]


class TestSupportLists:
    def test_equal_rows_of_several_versions_are_written_once(self, tsv: TsvFolder) -> None:
        for version in ("2.8.0", "2.9.0", "2.10.0"):
            tsv.listed(version, "torch.foo", "restricted", dtypes="input:float16")
        variants = found(packed_tables(tsv.write()), "support.tsv", "torch.foo")
        assert len(variants) == 1

    def test_rows_that_differ_are_kept_apart(self, tsv: TsvFolder) -> None:
        tsv.listed("2.8.0", "torch.foo").listed("2.9.0", "torch.foo", "unsupported")
        assert len(found(packed_tables(tsv.write()), "support.tsv", "torch.foo")) == 2

    def test_the_source_of_a_row_does_not_keep_it_apart(self, tsv: TsvFolder) -> None:
        tsv.listed("2.8.0", "torch.foo", source="pages-2.8").listed("2.9.0", "torch.foo", source="pages-2.9")
        tables = packed_tables(tsv.write())
        assert len(found(tables, "support.tsv", "torch.foo")) == 1
        assert found(tables, "support.tsv", "#sources 2.9.0") == ["pages-2.9"]

    def test_an_api_listed_twice_is_an_error(self, tsv: TsvFolder) -> None:
        tsv.listed("2.8.0", "torch.foo").listed("2.8.0", "torch.foo")
        with pytest.raises(TsvError, match=r"support-2\.8\.0\.tsv: torch\.foo twice"):
            packed_tables(tsv.write())

    def test_an_unknown_word_is_an_error(self, tsv: TsvFolder) -> None:
        tsv.listed("2.8.0", "torch.foo", "probably")
        with pytest.raises(KeyError, match="probably"):
            packed_tables(tsv.write())

    def test_a_missing_file_is_an_error(self, tsv: TsvFolder) -> None:
        folder = tsv.write()
        (folder / "support-2.5.1.tsv").unlink()
        with pytest.raises(FileNotFoundError, match=r"support-2\.5\.1"):
            packed_tables(folder)


class TestNames:
    def test_are_in_the_versions_whose_wheels_have_them(self, tsv: TsvFolder) -> None:
        tsv.name("torch_npu.npu", "shiny", "2.13.0.post2")
        assert versions(packed_tables(tsv.write()), "npu_names.tsv", "torch_npu.npu.shiny") == ["2.13.0"]

    def test_bring_the_modules_that_hold_them(self, tsv: TsvFolder) -> None:
        tsv.name("torch_npu.attic.box", "hat", "2.3.1")
        tables = packed_tables(tsv.write())
        assert versions(tables, "npu_names.tsv", "torch_npu.attic") == ["2.3.1"]
        assert found(tables, "npu_names.tsv", "torch_npu.attic")[1] == "module"

    def test_of_the_oldest_wheel_are_in_the_releases_without_one(self, tsv: TsvFolder) -> None:
        tsv.counterpart("old")
        tables = packed_tables(tsv.write())
        expected = ["1.8.1", "1.11.0", "2.0.1", "2.1.0", "2.3.1", "2.13.0"]
        assert versions(tables, "counterparts.tsv", "torch.cuda.old") == expected

    def test_not_where_the_release_lists_them_as_unsupported(self, tsv: TsvFolder) -> None:
        tsv.counterpart("old").listed("2.0.1", "torch.cuda.old", "unsupported")
        assert "2.0.1" not in versions(packed_tables(tsv.write()), "counterparts.tsv", "torch.cuda.old")

    def test_nor_what_is_below_an_unsupported_one(self, tsv: TsvFolder) -> None:
        tsv.counterpart("Old").counterpart("Old.member").listed("2.0.1", "torch.cuda.Old", "unsupported")
        assert "2.0.1" not in versions(
            packed_tables(tsv.write()), "counterparts.tsv", "torch.cuda.Old.member"
        )

    def test_nor_another_name_of_an_unsupported_one(self, tsv: TsvFolder) -> None:
        tsv.counterpart("old").counterpart("attic.old").listed("2.0.1", "torch.cuda.old", "unsupported")
        tsv.aliases.append({"alias": "torch.cuda.attic.old", "documented_api": "torch.cuda.old"})
        assert "2.0.1" not in versions(packed_tables(tsv.write()), "counterparts.tsv", "torch.cuda.attic.old")

    def test_nor_where_only_later_releases_list_them_at_all(self, tsv: TsvFolder) -> None:
        tsv.counterpart("newish").listed("2.0.1", "torch.cuda.newish")
        there = versions(packed_tables(tsv.write()), "counterparts.tsv", "torch.cuda.newish")
        assert there[:2] == ["2.0.1", "2.1.0"]

    def test_of_the_first_version_are_those_that_its_list_supports(self, tsv: TsvFolder) -> None:
        tsv.counterpart("old").counterpart("seed")
        tsv.listed("1.5.0", "torch.cuda.old", npu_name="torch.npu.old")
        tsv.listed("1.5.0", "torch.cuda.seed", "unsupported", npu_name="torch.npu.seed")
        tables = packed_tables(tsv.write())
        assert "1.5.0" in versions(tables, "counterparts.tsv", "torch.cuda.old")
        assert "1.5.0" not in versions(tables, "counterparts.tsv", "torch.cuda.seed")

    def test_of_the_first_version_cannot_be_renamed(self, tsv: TsvFolder) -> None:
        tsv.counterpart("old").listed("1.5.0", "torch.cuda.old", npu_name="torch.npu.other")
        with pytest.raises(TsvError, match=r"torch\.npu\.other"):
            packed_tables(tsv.write())

    def test_two_wheels_of_one_version_are_an_error(self, tsv: TsvFolder) -> None:
        folder = tsv.write()
        rows = read_rows(folder / "aten-npu-ops.tsv")
        write_rows(folder / "aten-npu-ops.tsv", (*rows[0], "2.3.1.post9"), rows)
        with pytest.raises(TsvError, match=r"two wheels of PyTorch 2\.3\.1"):
            packed_tables(folder)


def test_operators_are_packed_without_overloads(tsv: TsvFolder) -> None:
    tsv.operator("mul.Tensor", "2.3.1").operator("mul.out", "2.13.0.post2")
    assert versions(packed_tables(tsv.write()), "operators.tsv", "mul") == ["2.3.1", "2.13.0"]


def test_private_apis_hold_from_a_version_on(tsv: TsvFolder) -> None:
    row = {"status": "supported", "source": "page"}
    tsv.private.append({"api": "torch._late", "min_torch": "2.12.0", **row})
    since = [str(version) for version in SUPPORTED_VERSIONS if version >= Version(2, 12)]
    assert versions(packed_tables(tsv.write()), "private.tsv", "torch._late") == since


def test_aliases_are_found_from_either_side(tsv: TsvFolder) -> None:
    tsv.aliases.append({"alias": "torch.A", "documented_api": "torch.a.A"})
    tables = packed_tables(tsv.write())
    assert found(tables, "aliases.tsv", "torch.A") == ["torch.a.A"]
    assert found(tables, "aliases.tsv", "torch.a.A") == ["torch.A"]


def test_what_is_unpacked_packs_to_the_same(tsv: TsvFolder, tmp_path: Path) -> None:
    tsv.listed("2.8.0", "torch.foo", "restricted", dtypes="input:float16", conflict="b=unsupported")
    tsv.counterpart("old").name("torch_npu", "npu_op", "2.3.1", kind="op").operator("mul.Tensor", "2.3.1")
    tsv.aliases.append({"alias": "torch.A", "documented_api": "torch.a.A"})
    tables = packed_tables(tsv.write())
    unpack_tables(tables, tmp_path / "again")
    assert packed_tables(tmp_path / "again") == tables


class TestSummary:
    def changes(self, before: TsvFolder, change: str, status: str, limit: int = 9) -> list[str]:
        old = packed_tables(before.listed("2.8.0", "torch.foo").write())
        new = packed_tables(before.listed("2.9.0", change, status).write())
        return list(summary(old, new, limit))

    def test_reports_what_is_new_per_version(self, tsv: TsvFolder) -> None:
        lines = self.changes(tsv, "torch.bar", "restricted")
        assert "support.tsv:" in lines
        assert "  2.9.0: 1 added, 0 removed, 0 changed" in lines
        assert "    + torch.bar  restricted" in lines

    def test_reports_tables_that_stay(self, tsv: TsvFolder) -> None:
        assert "operators.tsv: no change" in self.changes(tsv, "torch.bar", "restricted")

    def test_reports_what_is_gone_and_what_changed(self, tsv: TsvFolder, tmp_path: Path) -> None:
        old = packed_tables(tsv.listed("2.8.0", "torch.foo").listed("2.8.0", "torch.bar").write())
        path = tmp_path / "support-2.8.0.tsv"
        rows = [{**row, "status": "unsupported"} for row in read_rows(path) if row["api"] == "torch.foo"]
        write_rows(path, list(rows[0]), rows)
        lines = list(summary(old, packed_tables(tmp_path), 9))
        assert "    - torch.bar  supported" in lines
        assert "    ~ torch.foo  supported -> unsupported" in lines

    def test_counts_what_it_does_not_print(self, tsv: TsvFolder) -> None:
        old = packed_tables(tsv.write())
        for name in "abcd":
            tsv.listed("2.9.0", f"torch.{name}")
        assert "    + ... and 2 more" in list(summary(old, packed_tables(tsv.write()), 2))


class TestTsv:
    def test_a_line_of_another_length_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "x.tsv").write_text("a\tb\n1\n", "utf-8")
        with pytest.raises(TsvError, match=r"x\.tsv:2: 1 columns, the header has 2"):
            read_rows(tmp_path / "x.tsv")

    def test_an_empty_file_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "x.tsv").write_text("", "utf-8")
        with pytest.raises(TsvError, match="empty"):
            read_rows(tmp_path / "x.tsv")

    def test_a_tab_in_a_value_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(TsvError, match="tab"):
            write_rows(tmp_path / "x.tsv", ("a",), [{"a": "1\t2"}])
