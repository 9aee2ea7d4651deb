"""Devices: spelling, counting, choosing; tensors that live where they say."""

import numpy
import pytest
import torch
import torch_npu

MIXED = "Expected all tensors to be on the same device"


def on(device, *shape):
    return torch.ones(shape or (2,), device=device)


def test_torch_npu_npu_is_torch_npu():
    assert torch.npu is torch_npu.npu


@pytest.mark.parametrize("spec", ["npu:1", torch.device("npu", 1), torch.device("npu:1"), 1, torch.device(1)])
def test_every_spelling_of_a_device(spec):
    for tensor in (on(spec), torch.ones(2).to(spec), torch.ones(2).npu(spec)):
        assert tensor.device == torch.device("npu", 1)
        assert tensor.is_npu and not tensor.is_cpu and not tensor.is_cuda
        assert tensor.get_device() == 1


def test_the_device_without_an_index_is_the_current_one():
    assert on("npu").device == torch.ones(2).npu().device == torch.device("npu:0")
    with torch.npu.device(1):
        assert on("npu").device == torch.ones(2).npu().device == torch.device("npu:1")
    with torch.npu.device_of(on("npu:1")):
        assert torch.npu.current_device() == 1
    with torch.device("npu:1"):
        assert torch.ones(2).device == torch.device("npu:1")
    assert torch.npu.current_device() == 0


def test_set_device():
    torch.npu.set_device("npu:1")
    assert on("npu").device.index == 1
    torch.npu.set_device(torch.device("npu", 0))
    assert on("npu").device.index == 0


def test_a_device_that_is_not_there():
    with pytest.raises(RuntimeError, match="Invalid device"):
        torch.npu.set_device(7)
    with pytest.raises(RuntimeError, match="Invalid device"):
        on("npu:7")
    with pytest.raises(ValueError, match="Expected a npu device"):
        torch.npu.set_device("cuda:0")


@pytest.mark.parametrize(
    "mix",
    [
        lambda npu, other: npu + other,
        lambda npu, other: other + npu,
        lambda npu, other: other.add_(npu),
        lambda npu, other: npu == other,
        lambda npu, other: npu @ other,
        lambda npu, other: torch.cat([npu, other]),
        lambda npu, other: torch.stack([other, npu]),
        lambda npu, other: torch.equal(npu, other),
        lambda npu, other: torch.where(npu > 0, npu, other),
        lambda npu, other: torch.nn.functional.linear(npu, other),
        lambda npu, other: torch.nn.functional.conv2d(npu[None, None], other[None, None]),
        lambda npu, other: torch.nn.functional.embedding(npu.long(), other),
        lambda npu, other: torch.nn.functional.mse_loss(npu, other),
        lambda npu, other: torch.nn.functional.cross_entropy(npu, other[0].long()),
        lambda npu, other: torch.nn.functional.scaled_dot_product_attention(
            npu[None], npu[None], other[None]
        ),
        lambda npu, other: other[npu.long()],
    ],
)
@pytest.mark.parametrize("elsewhere", ["cpu", "npu:1"])
def test_tensors_of_two_devices_do_not_mix(mix, elsewhere):
    with pytest.raises(RuntimeError, match=f"{MIXED}|indices should be either on|to have the same device"):
        mix(on("npu:0", 2, 2), on(elsewhere, 2, 2))


def test_what_may_be_mixed():
    three = torch.tensor(3.0)
    assert (on("npu") * three).tolist() == [3.0, 3.0]
    assert torch.arange(4, device="npu")[torch.tensor([1, 2])].tolist() == [1, 2]


def test_a_number_in_where_must_be_on_the_device():
    with pytest.raises(RuntimeError, match=MIXED):
        torch.where(on("npu") > 0, on("npu"), torch.tensor(1.0))


def test_moving():
    there = torch.arange(4.0).to("npu", torch.float16, non_blocking=True)
    assert there.dtype == torch.float16
    assert there.cpu().tolist() == there.to("npu:1").tolist() == [0.0, 1.0, 2.0, 3.0]
    assert torch.zeros(1).to(there).device == there.device
    assert torch.zeros_like(there).is_npu and there.new_ones(2).is_npu
    assert torch.as_tensor(numpy.ones(2), device="npu").is_npu


def test_numpy_needs_the_cpu():
    with pytest.raises(TypeError, match=r"Use Tensor\.cpu"):
        on("npu").numpy()


def test_reading_values():
    tensor = torch.arange(3.0, device="npu")
    assert tensor.sum().item() == 3.0 and tensor.tolist() == [0.0, 1.0, 2.0] and bool(tensor[1])
    assert repr(tensor) == "tensor([0., 1., 2.], device='npu:0')"


def test_views_share_memory():
    square = torch.zeros(4, 4, device="npu")
    square[1:3, 0] = 1
    square.t()[0].add_(1)
    square[:, -1].fill_(7)
    square[square > 5] = 9
    square.view(2, 8)[0, 0] = 4
    assert square[:, 0].tolist() == [4.0, 2.0, 2.0, 1.0] and square[0, -1].item() == 9.0


def test_complex_numbers():
    numbers = torch.view_as_complex(torch.tensor([[1.0, 2.0]], device="npu"))
    assert numbers.conj().cpu().tolist() == [1 - 2j]
    assert (numbers * numbers.conj()).real.tolist() == [5.0]


def test_default_device():
    torch.set_default_device("npu")
    try:
        assert torch.ones(2).is_npu and torch.nn.Linear(2, 2).weight.is_npu
    finally:
        torch.set_default_device(None)


def test_double_precision_adds_but_does_not_multiply_matrices():
    double = torch.ones(2, 2, dtype=torch.float64, device="npu")
    assert (double + double).dtype == torch.float64
    with pytest.raises(RuntimeError, match="DT_DOUBLE"):
        double @ double
    with pytest.raises(RuntimeError, match="DT_DOUBLE"):
        torch.nn.functional.conv2d(double[None, None], double[None, None])


def test_a_cast_on_the_device_makes_no_double_precision():
    assert on("npu", 2).double().dtype == on("npu", 2).to(torch.float64).dtype == torch.float32
    assert on("cpu", 2).double().to("npu").dtype == torch.float64


def test_description():
    properties = torch.npu.get_device_properties(0)
    assert properties.total_memory > 0 and properties.name == torch.npu.get_device_name()
    assert properties.cube_core_num and properties.vector_core_num and properties.L2_cache_size
    assert properties.multi_processor_count == properties.vector_core_num
    for name in ("major", "minor", "warp_size"):
        assert getattr(properties, name) is None
    assert torch.npu.get_device_capability() is None


def test_counting():
    assert torch.npu.is_available() and torch.npu.device_count() == torch.accelerator.device_count() == 2
    assert torch.accelerator.current_accelerator() == torch.device("npu")
    assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
    with pytest.raises(AssertionError, match="CUDA"):
        torch.ones(2).cuda()


def test_storages():
    assert torch.ones(2).npu().untyped_storage().is_npu
    assert torch.ones(2).untyped_storage().npu(1).device == torch.device("npu:1")
    storage = torch.ones(4).npu().untyped_storage()
    storage.resize_(0)
    assert storage.device == torch.device("npu:0") and storage.nbytes() == 0
