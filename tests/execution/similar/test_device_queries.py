"""The default tensor type and the properties of a device, on torch with and without an NPU behind it."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.slow, pytest.mark.execution]


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    """Torch's defaults as they were."""
    dtype = torch.get_default_dtype()
    yield
    torch.set_default_dtype(dtype)
    torch.set_default_device(None)


class TestDefaultTensorType:
    @pytest.mark.parametrize(
        ("kind", "dtype"),
        [
            ("torch.FloatTensor", torch.float32),
            (torch.DoubleTensor, torch.float64),
            ("torch.HalfTensor", torch.float16),
        ],
    )
    def test_types_of_the_cpu_are_left_to_torch(
        self, similar: ModuleType, kind: Any, dtype: torch.dtype
    ) -> None:
        similar.set_default_tensor_type(kind)
        assert torch.ones(1).dtype == dtype and torch.ones(1).device.type == "cpu"

    @pytest.mark.parametrize("kind", ["torch.cuda.DoubleTensor", "torch.npu.DoubleTensor"])
    def test_a_type_of_a_device_sets_dtype_and_device(
        self, similar: ModuleType, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        devices: list[str] = []
        monkeypatch.setattr(torch, "set_default_device", devices.append)
        similar.set_default_tensor_type(kind)
        assert torch.get_default_dtype() == torch.float64 and devices == ["npu"]
        similar.set_default_tensor_type(torch.FloatTensor)
        assert torch.get_default_dtype() == torch.float32 and devices == ["npu", "cpu"]

    def test_the_type_itself(self, similar: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        devices: list[str] = []
        monkeypatch.setattr(torch, "set_default_device", devices.append)
        similar.set_default_tensor_type(torch.cuda.HalfTensor)
        assert torch.get_default_dtype() == torch.float16 and devices == ["npu"]

    @pytest.mark.parametrize("version", ["1.11.0", "2.0.1+cpu", "2.2.0"])
    def test_without_a_default_device_it_warns_that_tensors_need_theirs(
        self, similar: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str
    ) -> None:
        with monkeypatch.context() as old:
            old.delattr(torch, "set_default_device")
            old.setattr(torch, "__version__", version)
            with pytest.warns(UserWarning, match="device='npu'"):
                similar.set_default_tensor_type("torch.cuda.FloatTensor")

    def test_what_torch_refuses(self, similar: ModuleType) -> None:
        with pytest.raises(TypeError):
            similar.set_default_tensor_type("torch.cuda.LongTensor")


class TestDeviceProperties:
    @pytest.fixture
    def native(self, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
        """A release that knows some properties; keeps for which device it was asked."""
        asked: list[object] = []
        known = SimpleNamespace(name="Ascend910", total_memory=64 << 30, cube_core_num=24)

        def properties(device: object) -> SimpleNamespace:
            asked.append(device)
            return known

        npu = SimpleNamespace(get_device_properties=properties, current_device=lambda: 3)
        monkeypatch.setattr(torch, "npu", npu, raising=False)
        return SimpleNamespace(asked=asked, known=known)

    def test_what_the_release_knows(self, similar: ModuleType, native: SimpleNamespace) -> None:
        properties = similar.get_device_properties(1)
        assert (properties.name, properties.total_memory) == ("Ascend910", 64 << 30)
        assert (properties.cube_core_num, repr(properties)) == (24, repr(native.known))
        similar.get_device_properties()
        assert native.asked == [1, 3]

    def test_a_compute_capability_of_0_with_a_warning(
        self, similar: ModuleType, native: SimpleNamespace
    ) -> None:
        properties = similar.get_device_properties(0)
        with pytest.warns(UserWarning, match="compute capability"):
            assert (properties.major, properties.minor) == (0, 0)

    def test_what_no_npu_has(self, similar: ModuleType, native: SimpleNamespace) -> None:
        with pytest.raises(AttributeError, match="multi_processor_count"):
            _ = similar.get_device_properties(0).multi_processor_count
        assert not hasattr(similar.get_device_properties(0), "warp_size")

    def test_a_release_that_knows_nothing_takes_the_memory_from_the_environment(
        self, similar: ModuleType, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        npu = SimpleNamespace(current_device=lambda: 0, get_device_name=lambda device: f"Ascend {device}")
        monkeypatch.setattr(torch, "npu", npu, raising=False)
        monkeypatch.delenv("NPU_TOTAL_MEMORY", raising=False)
        properties = similar.get_device_properties()
        assert properties.name == "Ascend 0"
        with pytest.raises(AttributeError, match="NPU_TOTAL_MEMORY"):
            _ = properties.total_memory
        monkeypatch.setenv("NPU_TOTAL_MEMORY", str(32 << 30))
        assert similar.get_device_properties().total_memory == 32 << 30
