"""Autograd: graphs, hooks, checkpoints, threads, several devices."""

import gc
import threading
import weakref

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from gpu2ascend_simulator.device import library, standalone

standalone.start()


def leaf(*shape, device="npu"):
    return torch.ones(shape, device=device, requires_grad=True)


@pytest.mark.parametrize("reentrant", [True, False])
def test_activation_checkpointing_repeats_its_dropout(reentrant):
    model = nn.Sequential(nn.Linear(32, 32), nn.Dropout(0.5)).to("npu")
    result = checkpoint(model, leaf(4, 32), use_reentrant=reentrant)
    result.sum().backward()
    torch.testing.assert_close(model[0].bias.grad, (result != 0).float().sum(0) * 2)


def test_a_checkpoint_that_stops_early_leaves_memory_in_order():
    data = leaf(4, 8)
    for _ in range(3):
        checkpoint(lambda x: x.sin().cos().exp(), data, use_reentrant=False).sum().backward()
    assert data.grad.is_npu and torch.isfinite(data.grad).all()


def test_functions_with_a_backward_of_their_own():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensors
            return 3 * x**2 * gradient

    data = torch.tensor([2.0], device="npu", requires_grad=True)
    Cube.apply(data).backward()
    assert data.grad.tolist() == [12.0]


def test_hooks_of_tensors_and_modules_run():
    seen, layer = [], nn.Linear(2, 2).to("npu")
    layer.register_forward_hook(lambda *_: seen.append("forward"))
    layer.register_full_backward_hook(lambda *_: seen.append("backward"))
    layer.weight.register_hook(lambda gradient: gradient * 2)
    layer.weight.register_post_accumulate_grad_hook(lambda _: seen.append("accumulated"))
    layer(torch.ones(1, 2, device="npu")).sum().backward()
    assert seen == ["forward", "backward", "accumulated"] or sorted(seen) == [
        "accumulated",
        "backward",
        "forward",
    ]
    assert layer.weight.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_hooks_of_saved_tensors_move_them():
    data = leaf(3)
    with torch.autograd.graph.save_on_cpu():
        result = (data * data).exp().sum()
    result.backward()
    torch.testing.assert_close(data.grad.cpu(), torch.full((3,), 2 * torch.e))


def test_gradients_of_gradients():
    data = torch.tensor([3.0], device="npu", requires_grad=True)
    (first,) = torch.autograd.grad((data**3).sum(), data, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), data)
    assert (first.item(), second.item()) == (27.0, 18.0)


def test_a_penalty_on_gradients_of_a_convolution():
    layer = nn.Conv2d(1, 2, 3).to("npu")
    data = torch.randn(1, 1, 5, 5, device="npu", requires_grad=True)
    (gradient,) = torch.autograd.grad(layer(data).square().sum(), data, create_graph=True)
    gradient.square().sum().backward()
    assert layer.weight.grad.is_npu and layer.weight.grad.abs().sum() > 0


def test_numerical_and_analytical_gradients_agree():
    data = torch.randn(3, 2, dtype=torch.float64, device="npu", requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: (x.sin() * x).cumsum(0), data)


def test_functional_transforms():
    data = torch.randn(4, 3, device="npu")
    weights = torch.randn(3, device="npu")
    torch.testing.assert_close(torch.func.vmap(lambda row: row @ weights)(data), data @ weights)
    gradient = torch.func.grad(lambda x: (x**2).sum())(weights)
    torch.testing.assert_close(gradient, 2 * weights)
    assert torch.func.jacrev(lambda x: x**2)(weights).is_npu


def test_models_over_two_devices():
    first, second = nn.Linear(2, 2).to("npu:0"), nn.Linear(2, 2).to("npu:1")
    second(first(torch.ones(1, 2, device="npu:0")).to("npu:1")).sum().backward()
    assert first.weight.grad.device.index == 0 and second.weight.grad.device.index == 1


def test_threads_have_their_own_current_device():
    found = {}

    def work(index):
        library.set_device(index)
        data = torch.ones(2, device="npu", requires_grad=True)
        (data * 3).sum().backward()
        found[index] = (data.device.index, data.grad.tolist())

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: (0, [3.0, 3.0]), 1: (1, [3.0, 3.0])}
    assert library.current_device() == 0


def test_many_threads_keep_the_books_of_memory():
    gc.collect()
    before = library.memory_stats(0)["allocated_bytes.all.current"]

    def work():
        for _ in range(50):
            (torch.ones(100, device="npu") * 2).sum().item()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.memory_stats(0)["allocated_bytes.all.current"] == before


def test_a_graph_goes_with_its_result():
    data = leaf(4)
    middle = data * 2
    gone = weakref.ref(middle)
    result = middle.exp().sum()
    del middle
    result.backward()
    del result
    gc.collect()
    assert gone() is None


def test_memory_of_a_graph_is_given_back():
    gc.collect()
    before = library.memory_stats(0)["allocated_bytes.all.current"]
    for _ in range(3):
        model = nn.Linear(8, 8).to("npu")
        model(torch.ones(2, 8, device="npu")).sum().backward()
        del model
    gc.collect()
    assert library.memory_stats(0)["allocated_bytes.all.current"] == before


def test_a_changed_tensor_is_noticed_in_backward():
    data = leaf(2)
    result = data.exp()
    result.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_views_of_leaves_that_need_gradients_cannot_be_changed():
    with pytest.raises(RuntimeError, match="in-place operation"):
        leaf(2)[0].add_(1)


def test_views_carry_gradients():
    data = leaf(2, 3)
    base = data * 1
    base[:, 1:].mul_(5)
    base.t().reshape(-1).sum().backward()
    assert data.grad.tolist() == [[1.0, 5.0, 5.0]] * 2


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_anomaly_detection_names_the_function():
    data = torch.zeros(1, device="npu", requires_grad=True)
    with torch.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="SqrtBackward0"):
        (data.sqrt() * 0).sum().backward()


def test_inference_mode():
    with torch.inference_mode():
        result = nn.Linear(2, 2).to("npu")(torch.ones(1, 2, device="npu"))
    assert result.is_inference() and result.is_npu


def complex_grad(device):
    torch.manual_seed(0)
    data = torch.randn(2, 2, dtype=torch.cfloat).to(device).requires_grad_()
    (data @ data.mH).abs().sum().backward()
    return data.grad.cpu()


def test_complex_products_have_the_gradients_of_the_cpu():
    torch.testing.assert_close(complex_grad("npu"), complex_grad("cpu"))


@pytest.mark.parametrize("product", [torch.mm, torch.inner, lambda one, other: torch.addmm(one, one, other)])
def test_lazy_conjugates_are_heeded(product):
    data = torch.randn(2, 2, dtype=torch.cfloat)
    torch.testing.assert_close(product(data.npu(), data.npu().conj()).cpu(), product(data, data.conj()))


def test_lazy_conjugates_are_written_to():
    data = torch.randn(2, 2, dtype=torch.cfloat)
    result = torch.zeros(2, 2, dtype=torch.cfloat, device="npu")
    torch.mm(data.npu(), data.npu(), out=result.conj())
    torch.testing.assert_close(result.conj().cpu(), data @ data)


def test_zero_tensors_are_zeros():
    data = torch.randn(3, device="npu", requires_grad=True)
    torch.sgn(data).sum().backward()
    assert data.grad.tolist() == [0.0] * 3


@pytest.mark.parametrize("function", [lambda x: x * 2, lambda x: torch.where(x > 0, x, torch.zeros_like(x))])
def test_derivatives_go_forwards(function):
    data = torch.tensor([1.0, -2.0])
    _, expected = torch.func.jvp(function, (data,), (data,))
    _, tangent = torch.func.jvp(function, (data.npu(),), (data.npu(),))
    assert torch.equal(tangent.cpu(), expected)
