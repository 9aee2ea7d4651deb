"""What a row of a support list means for one hardware family."""

from __future__ import annotations

from gpu2ascend_rules.facts import SupportStatus
from gpu2ascend_rules.facts.packed.row_format import ListedRow, pack, unpack
from gpu2ascend_rules.facts.packed.rows import SupportRow
from gpu2ascend_rules.model.hardware import Hardware

A2, A3, DT950 = Hardware.A2, Hardware.A3, Hardware.DT950
YES = {"a2": "yes", "a3": "yes", "dt950": "yes"}


def row(api: str = "torch.foo", **columns: str) -> SupportRow:
    empty = dict.fromkeys(ListedRow._fields, "")
    return SupportRow(api, ListedRow(**{**empty, "kind": "function", "status": "supported", **columns}))


class TestStatus:
    def test_a_list_without_a_split_speaks_for_every_hardware(self) -> None:
        assert set(row(status="restricted").statuses.values()) == {SupportStatus.RESTRICTED}

    def test_a_mark_decides_for_its_hardware(self) -> None:
        split = row(a2="yes", a3="no", dt950="yes")
        assert split.statuses == {
            A2: SupportStatus.SUPPORTED,
            A3: SupportStatus.UNSUPPORTED,
            DT950: SupportStatus.SUPPORTED,
        }

    def test_no_for_the_950dt_where_the_others_say_yes_means_not_listed_yet(self) -> None:
        assert row(a2="yes", a3="yes", dt950="no").status_on(DT950) is SupportStatus.UNKNOWN

    def test_no_for_the_950dt_where_the_others_say_no_means_no(self) -> None:
        assert row(a2="no", a3="no", dt950="no").status_on(DT950) is SupportStatus.UNSUPPORTED

    def test_a_note_on_one_hardware_restricts_there_alone(self) -> None:
        noted = row(**YES, hw_notes="dt950:not=complex64")
        assert noted.status_on(DT950) is SupportStatus.RESTRICTED
        assert noted.status_on(A2) is SupportStatus.SUPPORTED

    def test_a_note_on_hardware_that_the_product_does_not_know_changes_nothing(self) -> None:
        assert row(**YES, hw_notes="train:only=float16").status_on(A2) is SupportStatus.SUPPORTED

    def test_a_note_may_be_on_several(self) -> None:
        assert row(**YES, hw_notes="a2+train:note").status_on(A2) is SupportStatus.RESTRICTED


class TestDtypes:
    def test_are_given_per_parameter(self) -> None:
        listed = row(dtypes="input:float16,float32;index:int64").dtypes_on(A2)
        assert listed == {"input": ("float16", "float32"), "index": ("int64",)}

    def test_a_note_takes_away_on_its_hardware(self) -> None:
        noted = row(**YES, dtypes="input:float32,float64", hw_notes="dt950:not=float64")
        assert noted.dtypes_on(DT950) == {"input": ("float32",)}
        assert noted.dtypes_on(A2) == {"input": ("float32", "float64")}

    def test_a_note_takes_away_from_all_dtypes_where_none_are_listed(self) -> None:
        noted = row(**YES, hw_notes="dt950:not=complex64+complex128").dtypes_on(DT950)
        assert "float64" in noted["*"] and "complex64" not in noted["*"]

    def test_a_note_adds_on_its_hardware(self) -> None:
        noted = row(**YES, dtypes="self:float16", hw_notes="a3:also=bfloat16")
        assert noted.dtypes_on(A3) == {"self": ("float16", "bfloat16")}

    def test_nothing_listed_is_no_limit(self) -> None:
        assert row().dtypes_on(A2) == {}


class TestDtypesThatWereOnlyTested:
    """Dtype lists of Python that runs on the host are test coverage."""

    def restricted(self, api: str, kind: str = "class", flags: str = "no_float64") -> SupportRow:
        return row(api, kind=kind, status="restricted", dtypes="input:float32", flags=flags)

    def test_do_not_restrict_methods_of_modules(self) -> None:
        assert self.restricted("torch.nn.Module.apply", "method").status_on(A2) is SupportStatus.SUPPORTED

    def test_do_not_restrict_containers(self) -> None:
        assert self.restricted("torch.nn.Sequential").status_on(A2) is SupportStatus.SUPPORTED

    def test_do_not_restrict_optimizers(self) -> None:
        assert self.restricted("torch.optim.Adamax").status_on(A2) is SupportStatus.SUPPORTED

    def test_are_no_limits(self) -> None:
        tested = self.restricted("torch.fx.Graph")
        assert tested.dtypes_on(A2) == {} and tested.dtypes == {"input": ("float32",)}

    def test_another_restriction_still_restricts(self) -> None:
        limited = self.restricted("torch.optim.SGD", flags="no_float64,other_restriction")
        assert limited.status_on(A2) is SupportStatus.RESTRICTED

    def test_layers_are_limited_by_their_kernels(self) -> None:
        assert self.restricted("torch.nn.Conv3d").status_on(A2) is SupportStatus.RESTRICTED


def test_a_conflict_names_the_other_source_and_its_status() -> None:
    assert row(conflict="list-b=unsupported;list-c=restricted").conflict == {
        "list-b": "unsupported",
        "list-c": "restricted",
    }


def test_a_row_survives_packing() -> None:
    before = ListedRow(
        kind="method", npu_name="torch_npu.x", a2="yes", a3="no", dt950="", status="fallback_cpu",
        dtypes="a:float16,complex128;b:", flags="cpu_fallback", source="second", hw_notes="a3:note", tags="",
        conflict="other=supported",
    )  # fmt: skip
    sources = ("first", "second")
    assert unpack(pack(before, sources), sources) == before
