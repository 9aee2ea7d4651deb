"""``torch.npu.FloatTensor`` and its sisters."""

import pytest
import torch
import torch_npu

TYPES = {
    "BFloat16": torch.bfloat16,
    "Bool": torch.bool,
    "Byte": torch.uint8,
    "Char": torch.int8,
    "Double": torch.float64,
    "Float": torch.float32,
    "Half": torch.float16,
    "Int": torch.int32,
    "Long": torch.int64,
    "Short": torch.int16,
}


@pytest.mark.parametrize(("name", "dtype"), TYPES.items())
def test_types(name, dtype):
    kind = getattr(torch_npu.npu, f"{name}Tensor")
    for tensor in (
        kind(2, 3),
        kind([1, 0]),
        torch.ones(2).type(kind),
        torch.ones(2).type(f"torch.npu.{name}Tensor"),
    ):
        assert tensor.dtype == dtype and tensor.is_npu and isinstance(tensor, kind)
        assert tensor.type() == f"torch.npu.{name}Tensor"
    assert not isinstance(torch.ones(2, dtype=dtype), kind)


def test_types_of_the_cpu_are_unchanged():
    there = torch.ones(2, device="npu")
    assert there.type(torch.LongTensor).type() == "torch.LongTensor"
    assert there.type(torch.float16).type() == "torch.npu.HalfTensor"
    assert torch.ones(2).type("torch.LongTensor").dtype == torch.int64


@pytest.mark.parametrize("kind", [torch.npu.FloatTensor, "torch.npu.FloatTensor"])
def test_they_cannot_be_the_default(kind):
    with pytest.raises(TypeError):
        torch.set_default_tensor_type(kind)
