"""What the packaged tables know of the names below torch_npu and torch.cuda."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.names.npu_names import Counterpart
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version


def facts(version: str) -> Facts:
    return Facts.load(Version(*map(int, version.split("."))), Hardware.A2)


EVERY_VERSION = [str(version) for version in SUPPORTED_VERSIONS]
WITH_TORCH_NPU = EVERY_VERSION[1:]
WITHOUT_WHEEL = ["1.8.1", "1.11.0", "2.0.1"]


class TestCounterpart:
    def test_is_the_same_name_below_torch_npu(self) -> None:
        found = facts("2.8.0").npu_counterpart("torch.cuda.empty_cache")
        assert found == Counterpart("torch_npu.npu.empty_cache", "same_name", is_called=True)

    def test_of_1_5_0_is_below_torch_itself(self) -> None:
        found = facts("1.5.0").npu_counterpart("torch.cuda.empty_cache")
        assert found == Counterpart("torch.npu.empty_cache", "same_name", is_called=True)

    @pytest.mark.parametrize(
        ("name", "target", "relation"),
        [
            ("CUDAGraph", "torch_npu.npu.NPUGraph", "renamed"),
            ("CUDAPluggableAllocator", "torch_npu.npu.NPUPluggableAllocator", "renamed"),
            ("Stream.cuda_stream", "torch_npu.npu.Stream.npu_stream", "renamed"),
            ("_sanitizer.enable_cuda_sanitizer", "torch_npu.npu._sanitizer.enable_npu_sanitizer", "renamed"),
            ("memory.mem_get_info", "torch_npu.npu.mem_get_info", "moved"),
            ("nvtx.mark", "torch_npu.npu.mstx.mark", "similar"),
            ("memory._record_memory_history", "torch_npu.npu.memory._record_memory_history", "same_name"),
        ],
    )
    def test_may_have_another_name(self, name: str, target: str, relation: str) -> None:
        found = facts("2.6.0").npu_counterpart(f"torch.cuda.{name}")
        assert found == Counterpart(target, relation, is_called=name != "Stream.cuda_stream")

    @pytest.mark.parametrize("version", EVERY_VERSION)
    def test_of_the_namespace_is_the_namespace(self, version: str) -> None:
        found = facts(version).npu_counterpart("torch.cuda")
        assert found is not None
        assert found.name == ("torch.npu" if version == "1.5.0" else "torch_npu.npu")

    @pytest.mark.parametrize("version", EVERY_VERSION)
    @pytest.mark.parametrize(
        "name",
        ["OutOfMemoryError", "comm.broadcast", "nccl.version", "cudart", "nvtx.range", "get_arch_list"],
    )
    def test_of_what_the_npu_has_not_is_none(self, name: str, version: str) -> None:
        assert facts(version).npu_counterpart(f"torch.cuda.{name}") is None
        assert facts(version).is_known_cuda_name(f"torch.cuda.{name}")

    def test_of_an_unknown_name_is_none(self) -> None:
        assert facts("2.8.0").npu_counterpart("torch.cuda.no_such_thing") is None
        assert not facts("2.8.0").is_known_cuda_name("torch.cuda.no_such_thing")

    def test_is_there_only_where_the_wheel_has_it(self) -> None:
        """StreamContext is in the wheels for 2.1.0 and from 2.5.1 on, not in those between."""
        there = [v for v in WITH_TORCH_NPU if facts(v).npu_counterpart("torch.cuda.StreamContext")]
        assert there == ["2.1.0", *EVERY_VERSION[EVERY_VERSION.index("2.5.1") :]]


class TestVersion1_5_0:
    """torch itself is the NPU build; its own support list decides."""

    def test_has_no_torch_npu(self) -> None:
        assert not facts("1.5.0").npu_name_exists("torch_npu.npu.empty_cache")
        assert not facts("1.5.0").npu_name_exists("torch_npu")

    def test_has_what_its_list_calls_supported(self) -> None:
        assert facts("1.5.0").npu_name_exists("torch.npu.empty_cache")

    @pytest.mark.parametrize("name", ["manual_seed", "amp.GradScaler", "amp", "amp.autocast"])
    def test_has_nothing_else(self, name: str) -> None:
        assert not facts("1.5.0").npu_name_exists(f"torch.npu.{name}")
        assert facts("1.5.0").npu_counterpart(f"torch.cuda.{name}") is None


class TestReleasesWithoutWheel:
    """The oldest wheel speaks for them, less what is known to be missing."""

    @pytest.mark.parametrize("version", WITHOUT_WHEEL)
    @pytest.mark.parametrize(
        "name", ["empty_cache", "amp.autocast", "amp.GradScaler", "FloatTensor", "Event"]
    )
    def test_have_what_always_was(self, name: str, version: str) -> None:
        assert facts(version).npu_name_exists(f"torch_npu.npu.{name}")

    def test_lack_what_their_own_list_calls_unsupported(self) -> None:
        assert not facts("2.0.1").npu_name_exists("torch_npu.npu.get_device_properties")
        assert facts("2.2.0").npu_name_exists("torch_npu.npu.get_device_properties")

    def test_have_what_the_releases_before_and_after_have(self) -> None:
        for name in ("torch_npu.npu.get_device_properties", "torch.npu.get_device_properties"):
            assert all(facts(version).npu_name_exists(name) for version in ("1.8.1", "1.11.0", "2.1.0"))

    @pytest.mark.parametrize("version", WITHOUT_WHEEL)
    @pytest.mark.parametrize(
        "name", ["NPUGraph", "graphs.NPUGraph", "MemPool", "StreamContext", "ipc_collect"]
    )
    def test_lack_what_an_older_build_of_the_oldest_wheel_lacks(self, name: str, version: str) -> None:
        assert facts("2.1.0").npu_name_exists(f"torch_npu.npu.{name}")
        assert not facts(version).npu_name_exists(f"torch_npu.npu.{name}")

    def test_lack_what_stands_for_newer_names_of_torch(self) -> None:
        """torch.cuda.change_current_allocator is of PyTorch 2.0."""
        assert not facts("1.11.0").npu_name_exists("torch_npu.npu.change_current_allocator")

    @pytest.mark.parametrize("version", WITHOUT_WHEEL)
    def test_have_no_wheel_to_name(self, version: str) -> None:
        assert facts(version).wheel is None


def test_a_version_with_a_wheel_names_it() -> None:
    assert facts("2.8.0").wheel == "2.8.0.post5"


class TestExistence:
    @pytest.mark.parametrize(
        "name",
        [
            "torch_npu",
            "torch_npu.npu",
            "torch_npu.npu.amp",
            "torch_npu.npu.amp.GradScaler",
            "torch_npu.npu.amp.autocast_mode.autocast",
            "torch_npu.npu.Event.record",
            "torch_npu.npu.matmul.allow_hf32",
            "torch_npu.npu.conv.allow_hf32",
            "torch_npu.npu.config.allow_internal_format",
            "torch_npu.npu.set_compile_mode",
            "torch_npu.npu.mstx.mstx_range",
            "torch_npu.npu.memory._snapshot",
            "torch_npu.npu.memory._dump_snapshot",
            "torch_npu.npu._sanitizer.enable_npu_sanitizer",
            "torch_npu.npu.default_generators",
            "torch_npu.profiler",
            "torch_npu.profiler.profile",
            "torch_npu.profiler.profile.step",
            "torch_npu.profiler.schedule",
            "torch_npu.profiler.ProfilerActivity.CPU",
            "torch_npu.profiler.ProfilerActivity.NPU",
            "torch_npu.profiler.tensorboard_trace_handler",
            "torch_npu.profiler._ExperimentalConfig",
            "torch_npu.optim.NpuFusedAdamW",
            "torch_npu.npu_fusion_attention",
            "torch_npu.npu_rms_norm",
            "torch_npu.npu_rotary_mul",
            "torch_npu.npu_swiglu",
            "torch_npu.contrib.module.ROIAlign",
            "torch_npu.contrib.transfer_to_npu",
            "torch_npu.utils.cpp_extension.NpuExtension",
            "torch_npu._C._distributed_c10d.ProcessGroupHCCL",
            "torch.distributed.is_hccl_available",
        ],
    )
    @pytest.mark.parametrize("version", ["2.1.0", "2.8.0", str(NEWEST)])
    def test_of_names_that_rules_write(self, name: str, version: str) -> None:
        assert facts(version).npu_name_exists(name)

    @pytest.mark.parametrize("version", EVERY_VERSION)
    @pytest.mark.parametrize(
        "name",
        ["npu.nvtx", "npu.nccl", "npu.comm", "npu.OutOfMemoryError", "npu.CUDAGraph", "npu.random.fork_rng"],
    )
    def test_not_of_names_that_were_never_there(self, name: str, version: str) -> None:
        assert not facts(version).npu_name_exists(f"torch_npu.{name}")

    def test_torch_npu_is_another_spelling(self) -> None:
        assert facts("2.8.0").npu_name_exists("torch.npu.amp.GradScaler")
        assert facts("2.8.0").npu_name_exists("torch.npu")

    def test_a_name_beginning_alike_is_another_name(self) -> None:
        assert not facts("2.8.0").npu_name_exists("torch.npu_format_cast.amp")

    def test_begins_with_a_version(self) -> None:
        first = facts("2.8.0").first_version_with
        assert first("torch_npu.npu.host_memory_stats") == Version(2, 7, 1)
        assert first("torch.npu.empty_cache") == Version(1, 5, 0)
        assert first("torch_npu.npu.empty_cache") == Version(1, 8, 1)
        assert first("torch_npu.npu.nvtx") is None


class TestCompletion:
    def test_lists_the_public_names_of_a_module(self) -> None:
        names = facts("2.8.0").npu_names("torch_npu.npu.amp")
        assert {"GradScaler", "autocast", "custom_bwd", "custom_fwd"} <= set(names)
        assert list(names) == sorted(names) and not any("." in name for name in names)

    def test_leaves_out_private_names_unless_exported(self) -> None:
        names = facts("2.8.0").npu_names("torch_npu.profiler")
        assert "_ExperimentalConfig" in names and "_KinetoProfile" not in names

    def test_takes_both_spellings(self) -> None:
        assert facts("2.8.0").npu_names("torch.npu") == facts("2.8.0").npu_names("torch_npu.npu")

    def test_of_1_5_0_takes_the_spelling_below_torch(self) -> None:
        assert "empty_cache" in facts("1.5.0").npu_names("torch.npu")
        assert facts("1.5.0").npu_names("torch_npu.npu") == ()

    def test_of_no_module_is_empty(self) -> None:
        assert facts("2.8.0").npu_names("torch_npu.no_such_module") == ()


def test_facts_are_loaded_once() -> None:
    assert facts("2.8.0") is facts("2.8.0")


def test_there_are_no_facts_for_other_versions() -> None:
    with pytest.raises(ValueError, match=r"1\.12\.0"):
        Facts.load(Version(1, 12, 0), Hardware.A2)
