"""What the device refuses, as the real one does, and what is recorded of it."""

import numpy
import pytest
import torch
from torch.nn import functional as F

from gpu2ascend_simulator.device import restrictions, standalone, trace
from gpu2ascend_simulator.device.restrictions import Restriction

standalone.start()
MIXED = "Expected all tensors to be on the same device|indices should be either on|to have the same device"


def on(device, *shape):
    return torch.ones(shape or (2,), device=device)


@pytest.mark.parametrize("elsewhere", ["cpu", "npu:1"])
@pytest.mark.parametrize(
    "mix",
    [
        lambda npu, other: npu + other,
        lambda npu, other: other + npu,
        lambda npu, other: other.add_(npu),
        lambda npu, other: npu.mul_(other),
        lambda npu, other: npu == other,
        lambda npu, other: npu @ other,
        lambda npu, other: torch.cat([npu, other]),
        lambda npu, other: torch.stack([other, npu]),
        lambda npu, other: torch.equal(npu, other),
        lambda npu, other: torch.where(npu > 0, npu, other),
        lambda npu, other: F.linear(npu, other),
        lambda npu, other: F.conv2d(npu[None, None], other[None, None]),
        lambda npu, other: F.embedding(npu.long(), other),
        lambda npu, other: F.embedding(other.long(), npu),
        lambda npu, other: F.mse_loss(npu, other),
        lambda npu, other: F.cross_entropy(npu, other[0].long()),
        lambda npu, other: F.batch_norm(npu, other[0], other[0]),
        lambda npu, other: F.layer_norm(npu, (2,), other[0]),
        lambda npu, other: F.scaled_dot_product_attention(npu[None], npu[None], other[None]),
        lambda npu, other: npu.scatter_(0, other.long() - 1, 1.0),
        lambda npu, other: npu.masked_fill(other > 0, 0.0),
        lambda npu, other: npu.gather(0, other.long() - 1),
        lambda npu, other: torch.addcmul(npu, npu, other),
        lambda npu, other: torch._foreach_add([npu], [other]),
        lambda npu, other: other[npu.long()],
        lambda npu, other: torch.add(npu, npu, out=other),
    ],
)
def test_tensors_of_two_devices_do_not_mix(mix, elsewhere):
    with pytest.raises(RuntimeError, match=MIXED):
        mix(on("npu:0", 2, 2), on(elsewhere, 2, 2))


def test_a_forgotten_move_of_the_model_is_an_error():
    with pytest.raises(RuntimeError, match=MIXED):
        torch.nn.Conv2d(1, 1, 1)(on("npu", 1, 1, 2, 2))
    with pytest.raises(RuntimeError, match="Input and parameter tensors are not at the same device"):
        torch.nn.LSTM(2, 2)(on("npu", 1, 1, 2))


def test_numbers_of_the_cpu_may_stand_beside_tensors_of_the_device():
    three = torch.tensor(3.0)
    assert (on("npu") * three).tolist() == (three * on("npu")).tolist() == [3.0, 3.0]
    assert (on("npu") == torch.tensor(1.0)).all()
    assert torch.clamp(on("npu") * 5, max=three).tolist() == [3.0, 3.0]


def test_numbers_that_are_stacked_must_be_on_the_device():
    with pytest.raises(RuntimeError, match=MIXED):
        torch.stack([torch.tensor(1.0), torch.tensor(1.0, device="npu")])
    assert torch.stack([torch.tensor(1.0, device="npu")] * 2).tolist() == [1.0, 1.0]


def test_a_number_in_where_must_be_on_the_device():
    with pytest.raises(RuntimeError, match=MIXED):
        torch.where(on("npu") > 0, on("npu"), torch.tensor(1.0))


@pytest.mark.parametrize("elsewhere", ["cpu", "npu:1"])
@pytest.mark.parametrize("compare", [torch.eq, torch.ne, torch.lt, torch.ge, torch.equal])
def test_numbers_of_two_devices_cannot_be_compared(compare, elsewhere):
    with pytest.raises(RuntimeError, match=MIXED):
        compare(torch.tensor(1, device="npu:0"), torch.tensor(2, device=elsewhere))


def test_indices_may_be_on_the_cpu():
    assert torch.arange(4, device="npu")[torch.tensor([1, 2])].tolist() == [1, 2]
    data = torch.zeros(3, device="npu")
    data[torch.tensor([0, 2])] = 1.0
    assert data.tolist() == [1.0, 0.0, 1.0]
    assert torch.arange(4, device="npu")[torch.tensor([True, False, True, False])].tolist() == [0, 2]


def test_arrays_are_made_of_tensors_of_the_cpu():
    with pytest.raises(TypeError, match=r"can't convert npu:0 device type tensor to numpy.*Tensor\.cpu"):
        on("npu").numpy()
    with pytest.raises(TypeError, match=r"Tensor\.cpu"):
        numpy.asarray(on("npu"))
    assert on("npu").cpu().numpy().tolist() == [1.0, 1.0]


def test_sparse_tensors_are_refused():
    with pytest.raises((RuntimeError, NotImplementedError)):
        torch.eye(2, device="npu").to_sparse() + 1


@pytest.fixture
def restricted():
    restrictions.restrict(
        [
            Restriction("aten::mm", frozenset({"float64"})),
            Restriction("aten::convolution", frozenset({"float64"})),
            Restriction("aten::add", frozenset({"int16"}), raises=False),
        ]
    )
    trace.clear()
    yield
    restrictions.release()


def test_types_that_an_operator_refuses_raise(restricted):
    double = on("cpu", 2, 2).double().npu()
    with pytest.raises(RuntimeError, match="aten::mm does not support DT_DOUBLE"):
        double @ double
    with pytest.raises(RuntimeError, match="aten::convolution does not support DT_DOUBLE"):
        F.conv2d(double[None, None], double[None, None])
    assert (double + double).dtype == torch.float64
    assert [refusal.detail for refusal, _ in trace.refusals()] == ["float64", "float64"]


def test_types_that_an_operator_takes_unwillingly_are_recorded(restricted):
    short = on("npu").short()
    for _ in range(3):
        short + short
    ((refusal, count),) = trace.refusals()
    assert (refusal.kind, refusal.operator, refusal.detail, count) == ("dtype", "aten::add", "int16", 6)


def test_refusals_name_the_line_of_the_project(restricted):
    line = test_refusals_name_the_line_of_the_project.__code__.co_firstlineno + 3
    with pytest.raises(RuntimeError):
        on("npu") + on("cpu")
    ((refusal, _),) = trace.refusals()
    assert refusal.kind == "mixed" and refusal.line == trace.Line(__file__, line)


def test_without_restrictions_every_type_is_taken():
    double = on("cpu", 2, 2).double().npu()
    assert (double @ double).dtype == torch.float64


def test_operators_are_traced():
    trace.clear()
    line = test_operators_are_traced.__code__.co_firstlineno + 3
    made = on("npu") + on("npu")
    made + made
    uses = {use.name: use for use in trace.uses()}
    assert (uses["aten::add.Tensor"].count, uses["aten::add.Tensor"].first) == (2, trace.Line(__file__, line))
    assert "aten::mul.Tensor" not in uses
