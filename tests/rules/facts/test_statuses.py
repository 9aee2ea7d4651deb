"""What the packaged tables answer to "does this API work there?"."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts import Facts, SupportStatus
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version


def facts(version: str, hardware: Hardware = Hardware.A2) -> Facts:
    return Facts.load(Version(*map(int, version.split("."))), hardware)


class TestListed:
    @pytest.mark.parametrize(
        ("version", "api", "status"),
        [
            ("1.5.0", "torch.lu", SupportStatus.UNSUPPORTED),
            ("1.8.1", "torch.mean", SupportStatus.SUPPORTED),
            ("1.11.0", "torch.nn.functional.mish", SupportStatus.UNSUPPORTED),
            ("2.0.1", "torch.histogramdd", SupportStatus.UNSUPPORTED),
            ("2.4.0", "torch.exp2", SupportStatus.SUPPORTED),
            ("2.6.0", "torch.clamp", SupportStatus.RESTRICTED),
            ("2.8.0", "torch.distributions.fishersnedecor.FisherSnedecor", SupportStatus.FALLBACK_CPU),
            ("2.13.0", "torch.linalg.ldl_factor", SupportStatus.UNSUPPORTED),
        ],
    )
    def test_status(self, version: str, api: str, status: SupportStatus) -> None:
        assert facts(version).status(api) is status
        assert facts(version).row(api) is not None

    def test_row_has_dtypes_and_source(self) -> None:
        row = facts("2.8.0").row("torch.nn.Conv3d")
        assert row is not None
        assert row.kind == "class" and row.flags == {"no_float64"} and row.source.startswith("docs-2.8.0")
        assert row.dtypes == {"*": ("float16", "bfloat16", "float32")}

    def test_a_version_without_pages_names_those_that_stand_for_its_own(self) -> None:
        row = facts(str(NEWEST)).row("torch.nn.Conv3d")
        assert row is not None and row.source.startswith("docs-2.13.0")

    def test_conflicting_sources_are_shown(self) -> None:
        row = facts("2.7.1").row("torch.fft.ifftshift")
        assert row is not None and row.status_on(Hardware.A2) is SupportStatus.UNSUPPORTED
        assert row.conflict == {"docs-2.7.1-26.1.0": "supported"}

    def test_not_listed_yet_on_the_950dt(self) -> None:
        assert facts("2.9.0", Hardware.A3).status("torch.matmul") is SupportStatus.RESTRICTED
        assert facts("2.9.0", Hardware.DT950).status("torch.matmul") is SupportStatus.UNKNOWN

    def test_private_apis_have_a_page_of_their_own(self) -> None:
        assert facts("2.9.0").status("torch._chunk_cat") is SupportStatus.RESTRICTED
        assert facts("2.9.0").status("torch._scaled_mm_v2") is SupportStatus.UNKNOWN  # from 2.10.0 on
        assert facts("2.10.0").status("torch._scaled_mm_v2") is SupportStatus.RESTRICTED
        assert facts("2.1.0").status("torch._chunk_cat") is SupportStatus.UNKNOWN


class TestOtherNames:
    def test_of_the_same_object_are_looked_up(self) -> None:
        row = facts("2.9.0").row("torch.nn.Parameter")
        assert row is not None and row.api == "torch.nn.parameter.Parameter"

    def test_of_the_class_that_holds_a_method_are_looked_up(self) -> None:
        row = facts("2.9.0").row("torch.distributions.Cauchy.log_prob")
        assert row is not None and row.api == "torch.distributions.cauchy.Cauchy.log_prob"

    def test_do_not_override_the_name_itself(self) -> None:
        """torch.vmap and torch.func.vmap are one function, and the lists disagree about it."""
        assert facts("2.9.0").status("torch.vmap") is SupportStatus.SUPPORTED
        assert facts("2.9.0").status("torch.func.vmap") is SupportStatus.UNSUPPORTED


class TestInNoList:
    def test_is_unknown_rather_than_unsupported(self) -> None:
        assert facts("2.9.0").status("torch.fft.fft") is SupportStatus.UNKNOWN
        assert not facts("2.9.0").has_kernel("torch.fft.fft")
        assert facts("2.9.0").row("torch.fft.fft") is None

    @pytest.mark.parametrize("api", ["torch.relu", "torch.Tensor.relu_", "torch.ops.aten.relu.default"])
    def test_but_registered_by_torch_npu_is_supported(self, api: str) -> None:
        assert facts("2.9.0").status(api) is SupportStatus.SUPPORTED

    def test_registration_is_evidence(self) -> None:
        assert facts("2.9.0").row("torch.relu") is None
        assert facts("2.9.0").has_kernel("torch.relu")

    def test_registration_is_known_for_wheels_only(self) -> None:
        assert not facts("1.11.0").has_kernel("torch.relu")

    def test_a_name_of_something_else_is_unknown(self) -> None:
        assert facts("2.9.0").status("numpy.linspace") is SupportStatus.UNKNOWN
        assert facts("2.9.0").status("torch") is SupportStatus.UNKNOWN


class TestMatrix:
    def test_has_every_version_oldest_first(self) -> None:
        matrix = facts("2.8.0").matrix("torch.nn.Conv3d")
        assert tuple(matrix) == SUPPORTED_VERSIONS
        assert matrix[Version(2, 1, 0)] is SupportStatus.SUPPORTED
        assert matrix[Version(2, 9, 0)] is SupportStatus.RESTRICTED

    def test_is_of_the_facts_hardware(self) -> None:
        version = Version(2, 9, 0)
        assert facts("2.8.0", Hardware.DT950).matrix("torch.matmul")[version] is SupportStatus.UNKNOWN


def test_listed_names_are_those_of_the_version() -> None:
    names = facts("2.9.0").listed_names("torch.fft.")
    assert "torch.fft.ifftshift" in names and all(name.startswith("torch.fft.") for name in names)
    assert len(facts("2.9.0").listed_names("torch.")) == 3250
