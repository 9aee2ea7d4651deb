"""Step one, documents: the three layouts of the support pages, and what their notes come to.

The pages here are made up in the form of the real ones; the APIs in them do not exist.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import Version
from tests.tools.support_tables.tsv_folder import TsvFolder
from tools.support_tables.collect.add_documents import add_documents
from tools.support_tables.collect.documents import entries, hardware_of
from tools.support_tables.collect.notes import Restrictions, restrictions
from tools.support_tables.tsv import TsvError, read_rows

A2, A3, DT950 = "Atlas A2训练系列产品", "Atlas A3训练系列产品", "Ascend 950DT系列产品"

LIST_PAGE = f"""
# torch.made_up

- 目录

## &#8203;torch.made_up

### torch.made_up.stir

**原生文档**：[torch.made_up.stir](https://example.org/stir)

**NPU 形式名称**：torch_npu.made_up.stir

**产品支持情况**：

<!-- npu="910b" id1 -->
- <term>{A2}</term>：支持
<!-- end id1 -->
- <term>{A3}</term>：支持
- <term>{DT950}</term>：不支持

**限制与说明**：`input`仅支持fp32

</div>

### <code><i>class</i></code> torch.made_up.Bowl

**产品支持情况**：

- <term>{A2}</term>：支持

> <font size="3">fill()</font>

**产品支持情况**：

- <term>{A2}</term>：不支持

**限制与说明**：

- 第一条
- 第二条

  ```python
  ### torch.made_up.not_a_heading
  ```

> <font size="3">depth</font>

**产品支持情况**：

- <term>{A2}</term>：支持

### torch.made_up.without_an_answer

some text
"""

TABLE_PAGE = """
### torch.made_up.pour

**支持情况**：

| 硬件 | 是否支持 |
| ---- | :----: |
| <term>Atlas A2 训练系列产品</term> | ✔ |
| <term>Atlas A3 训练系列产品</term> | ✘ |
| <term>Ascend 950DT</term> | ✔ |
"""

FLAT_PAGE = r"""
|API名称|NPU形式名称|是否支持|限制与说明|
|--|--|--|--|
|[torch.made_up.mix](https://example.org/mix)|torch_npu.made_up.mix|是|支持fp16，fp32<br>可能回退至CPU执行|
|torch.made\_up.\_whisk\_|-|是<br>暂不支持<term>Ascend 950DT系列产品</term>|-|
|torch.made_up.bake|-|否|-|
|torch.made_up.taste<br>说明|-|<term>Atlas A2 训练产品</term>/<term>Atlas A3 训练产品</term>：是|-|
"""


class TestLayouts:
    def test_a_heading_with_a_list_of_hardware(self) -> None:
        stir, *_ = entries(LIST_PAGE)
        assert stir.api == "torch.made_up.stir" and stir.npu_name == "torch_npu.made_up.stir"
        assert stir.marks == {"a2": "yes", "a3": "yes", "dt950": "no"}
        assert stir.notes == ("`input`仅支持fp32",)

    def test_members_of_a_class_below_its_heading(self) -> None:
        _, bowl, fill, depth = entries(LIST_PAGE)
        assert (bowl.api, bowl.kind) == ("torch.made_up.Bowl", "class")
        assert (fill.api, fill.kind, fill.marks) == ("torch.made_up.Bowl.fill", "method", {"a2": "no"})
        assert (depth.api, depth.kind) == ("torch.made_up.Bowl.depth", "attribute")
        assert fill.notes == ("第一条", "第二条")

    def test_a_heading_without_an_answer_is_none(self) -> None:
        assert "torch.made_up.without_an_answer" not in [entry.api for entry in entries(LIST_PAGE)]

    def test_a_heading_with_a_table_of_hardware(self) -> None:
        (pour,) = entries(TABLE_PAGE)
        assert pour.marks == {"a2": "yes", "a3": "no", "dt950": "yes"}

    def test_one_table_of_apis(self) -> None:
        mix, whisk, bake, taste = entries(FLAT_PAGE)
        assert (mix.api, mix.npu_name, mix.marks) == (
            "torch.made_up.mix", "torch_npu.made_up.mix", {"all": "yes"},
        )  # fmt: skip
        assert mix.notes == ("支持fp16，fp32", "可能回退至CPU执行")
        assert (whisk.api, whisk.marks) == ("torch.made_up._whisk_", {"all": "yes", "dt950": "no"})
        assert bake.marks == {"all": "no"}
        assert (taste.api, taste.marks) == ("torch.made_up.taste", {"a2": "yes", "a3": "yes"})


@pytest.mark.parametrize(
    ("term", "family"),
    [
        (A2, "a2"),
        (A3, "a3"),
        (DT950, "dt950"),
        ("Atlas 训练系列产品", "train"),
        ("Atlas 推理系列产品", "infer"),
        ("?", None),
    ],
)
def test_products_are_known_by_their_names(term: str, family: str | None) -> None:
    assert hardware_of(term) == family


class TestNotes:
    @pytest.mark.parametrize(
        ("note", "dtypes", "flags"),
        [
            ("`input`仅支持bf16，fp16，fp32", "input:float16,bfloat16,float32", "no_float64"),
            ("支持fp16、fp64和int8", "*:float16,float64,int8", ""),
            ("`input`，`other`仅支持int32，int64", "input:int32,int64;other:int32,int64", ""),
            ("`x`仅支持fp32，不支持double", "x:float32", "no_float64"),
            ("在某些情况下可能回退至CPU执行", "", "cpu_fallback"),
            ("仅支持推理场景，不支持训练", "", "inference_only"),
            ("`dim`仅支持1-8维", "", "other_restriction"),
        ],
    )
    def test_come_to_dtypes_and_flags(self, note: str, dtypes: str, flags: str) -> None:
        found = restrictions([note])
        assert (found.dtypes, found.flags, found.restricts) == (dtypes, flags, True)

    def test_of_one_sentence_on_dtypes_and_one_on_something_else_are_both(self) -> None:
        found = restrictions(["支持fp16和fp32。其余参数另有约束"])
        assert (found.dtypes, found.flags) == ("*:float16,float32", "no_float64,other_restriction")

    def test_on_one_hardware_restrict_nothing_else(self) -> None:
        found = restrictions([f"<term>{DT950}</term>：不支持fp64，complex64"])
        assert found == Restrictions("", "", "dt950:not=float64+complex64", "", restricts=False)

    def test_on_two_of_hardware_name_both(self) -> None:
        found = restrictions([f"<term>{A2}</term>/<term>Atlas 训练系列产品</term>：另有约束"])
        assert found.hw_notes == "a2+train:note"

    def test_of_all_dtypes_are_no_restriction(self) -> None:
        dtypes = "bf16，fp16，fp32，fp64，uint8，int8，int16，int32，int64，bool，complex64，complex128"
        assert not restrictions([f"`input`仅支持{dtypes}"]).restricts

    def test_on_speed_are_tagged(self) -> None:
        assert restrictions(["分组过多时会导致性能下降"]).tags == "perf_note"

    def test_none_come_to_nothing(self) -> None:
        assert restrictions([]) == Restrictions("", "", "", "", restricts=False)


class TestEnteringPages:
    def rows(self, folder: Path, version: str = "2.9.0") -> dict[str, dict[str, str]]:
        return {row["api"]: row for row in read_rows(folder / f"support-{version}.tsv")}

    @pytest.fixture
    def pages(self, tmp_path: Path) -> Path:
        folder = tmp_path / "pages"
        folder.mkdir()
        for name, text in (("a", LIST_PAGE), ("b", TABLE_PAGE), ("c", FLAT_PAGE)):
            (folder / f"torch-{name}.md").write_text(text, "utf-8")
        return folder

    def test_gives_every_api_a_row(self, tsv: TsvFolder, pages: Path) -> None:
        folder = tsv.write()
        assert add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0") == 9
        rows = self.rows(folder)
        assert {api: row["status"] for api, row in rows.items()} == {
            "torch.made_up.Bowl": "supported",
            "torch.made_up.Bowl.depth": "supported",
            "torch.made_up.Bowl.fill": "unsupported",
            "torch.made_up._whisk_": "supported",
            "torch.made_up.bake": "unsupported",
            "torch.made_up.mix": "fallback_cpu",
            "torch.made_up.pour": "supported",
            "torch.made_up.stir": "restricted",
            "torch.made_up.taste": "supported",
        }

    def test_takes_a_kind_from_other_versions(self, tsv: TsvFolder, pages: Path) -> None:
        folder = tsv.listed("2.8.0", "torch.made_up.mix", kind="class").write()
        add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0")
        assert self.rows(folder)["torch.made_up.mix"]["kind"] == "class"
        assert self.rows(folder)["torch.made_up.stir"]["kind"] == "function"

    def test_keeps_rows_of_other_sources_that_the_pages_lack(self, tsv: TsvFolder, pages: Path) -> None:
        folder = tsv.listed("2.9.0", "torch.made_up.elsewhere", source="old").write()
        add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0")
        assert self.rows(folder)["torch.made_up.elsewhere"]["source"] == "old"

    def test_shows_where_another_source_disagrees(self, tsv: TsvFolder, pages: Path) -> None:
        folder = tsv.listed("2.9.0", "torch.made_up.bake", source="old").write()
        add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0")
        assert self.rows(folder)["torch.made_up.bake"]["conflict"] == "old=supported"

    def test_replaces_what_the_same_source_said_before(self, tsv: TsvFolder, pages: Path) -> None:
        folder = tsv.listed("2.9.0", "torch.made_up.gone", source="pages-2.9.0").write()
        add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0")
        assert "torch.made_up.gone" not in self.rows(folder)

    def test_prefers_the_page_of_its_own_to_the_one_on_named_tensors(
        self, tsv: TsvFolder, pages: Path
    ) -> None:
        denied = LIST_PAGE.replace("：支持", "：不支持")
        (pages / "Named-Tensors.md").write_text(denied, "utf-8")
        folder = tsv.write()
        add_documents(folder, Version(2, 9, 0), pages, "pages-2.9.0")
        assert self.rows(folder)["torch.made_up.Bowl"]["status"] == "supported"

    def test_of_an_unknown_layout_is_an_error(self, tsv: TsvFolder, tmp_path: Path) -> None:
        (tmp_path / "page.md").write_text("# nothing here\n", "utf-8")
        with pytest.raises(TsvError, match="no page has an API"):
            add_documents(tsv.write(), Version(2, 9, 0), tmp_path, "pages")
