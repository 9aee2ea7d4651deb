"""Mixed precision: autocast by torch's own lists, and loss scaling."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from gpu2ascend_simulator.device import standalone

standalone.start()


def half(*shape):
    return torch.rand(shape, device="npu").half()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_are_of_the_lower_precision(dtype):
    model, data = nn.Linear(4, 4).to("npu"), torch.ones(2, 4, device="npu")
    with torch.autocast("npu", dtype=dtype):
        for made in (model(data), data @ data.t(), torch.einsum("ij,kj->ik", data, data)):
            assert made.dtype == dtype
        convolved = F.conv2d(torch.ones(1, 1, 3, 3, device="npu"), torch.ones(1, 1, 2, 2, device="npu"))
        assert convolved.dtype == dtype
        assert F.scaled_dot_product_attention(data[None], data[None], data[None]).dtype == dtype
        assert (data + 1).dtype == torch.float32
    assert model(data).dtype == torch.float32


def test_the_default_is_float16():
    with torch.autocast("npu"):
        assert (torch.ones(2, 2, device="npu") @ torch.ones(2, 2, device="npu")).dtype == torch.float16


def test_what_needs_range_is_of_float32():
    data, one = half(3, 4), half(3, 4)
    with torch.autocast("npu"):
        for made in (
            data.softmax(-1),
            data.log_softmax(0),
            data.exp(),
            data.pow(2),
            data.sum(),
            data.sum(0),
            data.prod(),
            data.cumsum(0),
            data.norm(),
            data.norm(2, 0),
            data.norm(2, 0, keepdim=True),
            torch.linalg.vector_norm(data),
            F.mse_loss(data, one),
            F.layer_norm(data, (4,)),
            F.interpolate(data[None, None], scale_factor=2.0),
            F.cross_entropy(data, torch.zeros(3, dtype=torch.long, device="npu")),
        ):
            assert made.dtype == torch.float32
        assert data.sum(dtype=torch.float16).dtype == torch.float16


def test_mixed_arguments_are_widened():
    with torch.autocast("npu"):
        assert torch.addcmul(half(2), half(2), torch.ones(2, device="npu")).dtype == torch.float32
        assert torch.addcmul(half(2), half(2), half(2)).dtype == torch.float16


def test_a_cast_on_the_device_makes_no_float64():
    data = torch.ones(2, device="npu")
    casts = (data.double(), data.to(torch.float64), data.type(torch.float64), data.long().double())
    assert {cast.dtype for cast in casts} == {torch.float32}
    assert torch.nn.Linear(2, 2).npu().double().weight.dtype == torch.float32


def test_float64_from_elsewhere_stays():
    numbers = torch.ones(2, dtype=torch.float64)
    moved = (numbers.npu(), numbers.to("npu"), torch.ones(2).to("npu", torch.float64))
    made = (torch.tensor([1.0], dtype=torch.float64, device="npu"), torch.zeros_like(numbers, device="npu"))
    assert {tensor.dtype for tensor in (*moved, *made)} == {torch.float64}
    assert numbers.npu().to(torch.float64).dtype == numbers.npu().cpu().double().dtype == torch.float64


def test_float64_is_left_alone():
    data = torch.ones(2, 2, device="npu", dtype=torch.float64)
    with torch.autocast("npu"):
        assert data.softmax(-1).dtype == torch.float64 and (data @ data).dtype == torch.float64


def test_binary_cross_entropy_is_refused():
    with torch.autocast("npu"), pytest.raises(RuntimeError, match="unsafe to autocast"):
        F.binary_cross_entropy(torch.rand(2, device="npu"), torch.rand(2, device="npu"))


def test_autocast_is_switched_off_inside():
    data = torch.ones(2, 2, device="npu")
    with torch.autocast("npu"):
        with torch.autocast("npu", enabled=False):
            assert (data @ data).dtype == torch.float32
        assert (data @ data).dtype == torch.float16


def test_autocast_of_the_cpu_leaves_the_device_alone():
    data = torch.ones(2, 2, device="npu")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (data @ data).dtype == torch.float32
        assert (data.cpu() @ data.cpu()).dtype == torch.bfloat16


def test_gradients_keep_the_precision_of_the_parameters():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(8, 2)).to("npu")
    with torch.autocast("npu", dtype=torch.bfloat16):
        loss = model(torch.randn(2, 1, 4, 4, device="npu")).square().mean()
    loss.backward()
    assert loss.dtype == torch.float32
    assert {parameter.grad.dtype for parameter in model.parameters()} == {torch.float32}


@pytest.mark.parametrize("cell", [nn.LSTM, nn.GRU])
def test_recurrent_cells_run_in_lower_precision(cell):
    layer, data = cell(3, 4).to("npu"), torch.randn(5, 2, 3, device="npu")
    with torch.autocast("npu"):
        result, _ = layer(data)
    result.float().sum().backward()
    assert result.dtype == torch.float16 and layer.weight_ih_l0.grad.dtype == torch.float32


@pytest.mark.parametrize("foreach", [True, False])
def test_losses_are_scaled(foreach):
    model = nn.Linear(4, 1).to("npu")
    optimizer = torch.optim.SGD(model.parameters(), 0.01, foreach=foreach)
    scaler = torch.amp.GradScaler("npu", init_scale=128.0, growth_interval=1)
    before = model.weight.detach().clone()
    with torch.autocast("npu"):
        loss = model(torch.ones(2, 4, device="npu")).square().sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 256.0 and not torch.equal(before, model.weight)


def test_a_step_that_overflows_is_skipped():
    model = nn.Linear(2, 1).to("npu")
    before = model.weight.detach().clone()
    optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.amp.GradScaler("npu", 1024.0)
    scaler.scale(model(torch.full((1, 2), 3e38, device="npu")).sum() * 1e10).backward()
    scaler.step(optimizer)
    scaler.update()
    assert torch.equal(before, model.weight) and scaler.get_scale() == 512.0


def test_every_operator_that_torch_casts_for_accelerators_is_cast():
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    names = {name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
    of_cuda_alone = {"aten::cudnn_convolution", "aten::cudnn_convolution_transpose", "aten::_cudnn_rnn"}
    cast = {name for name in names if has_kernel(name, "AutocastCUDA")}
    assert {name for name in names if has_kernel(name, "AutocastPrivateUse1")} == cast - of_cuda_alone
