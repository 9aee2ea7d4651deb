"""Programs as they are: compiled, scripted, profiled, indexed, transformed."""

import pytest
import torch
from torch import nn

from gpu2ascend_simulator.device import standalone, trace

standalone.start()


def model():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)).to("npu")


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_models_train(backend):
    plain = model()
    compiled = torch.compile(plain, backend=backend)
    data = torch.randn(3, 4, device="npu")
    expected = plain(data)
    result = compiled(data)
    torch.testing.assert_close(result, expected)
    result.sum().backward()
    assert plain[0].weight.grad.is_npu


def test_inductor_knows_no_such_device():
    compiled = torch.compile(lambda x: x.sin() + 1, backend="inductor")
    with pytest.raises(Exception, match="npu"):
        compiled(torch.ones(4, device="npu"))


def test_a_trace_has_the_operators_of_the_model_and_nothing_of_their_kernels():
    layers = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 5)
    on_npu = nn.Sequential(*layers).eval().to("npu")
    images = torch.randn(2, 3, 8, 8, device="npu")
    traced = torch.jit.trace(on_npu, images)
    torch.testing.assert_close(traced(images), on_npu(images))
    kinds = [node.kind() for node in traced.inlined_graph.nodes() if node.kind().startswith("aten::")]
    assert kinds == [
        *("aten::_convolution", "aten::batch_norm", "aten::relu"),
        "aten::flatten",
        "aten::linear",
    ]


def test_scripts_run():
    @torch.jit.script
    def function(x: torch.Tensor) -> torch.Tensor:
        return (x * 2 + torch.ones_like(x)).relu()

    assert function(torch.ones(2, device="npu")).tolist() == [3.0, 3.0]
    assert torch.jit.trace(model(), torch.ones(1, 4, device="npu"))(torch.ones(2, 4, device="npu")).is_npu


def test_scripts_draw_random_numbers():
    @torch.jit.script
    def function(size: int) -> torch.Tensor:
        return torch.rand(size) + torch.zeros(size)

    assert function(3).shape == (3,)


def test_the_profiler_of_the_cpu_sees_operators():
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
        torch.ones(4, device="npu").sum()
    assert any(event.key == "aten::sum" for event in profiler.key_averages())


def test_masks_and_indices():
    data = torch.arange(6, device="npu").view(2, 3)
    assert data[data > 2].tolist() == [3, 4, 5]
    assert data[torch.tensor([1], device="npu"), [2]].tolist() == [5]
    assert data[..., None].shape == (2, 3, 1) and data[:, -1].tolist() == [2, 5]
    data[data % 2 == 0] = -1
    assert data.tolist() == [[-1, 1, -1], [3, -1, 5]]
    assert data.nonzero().shape == (6, 2) and torch.where(data > 0)[0].tolist() == [0, 1, 1]
    assert data.masked_fill(data < 0, 0).sum().item() == 9 and data.unique().tolist() == [-1, 1, 3, 5]


def test_numbers_come_out():
    data = torch.tensor([1.5, 2.5], device="npu")
    assert data.sum().item() == 4.0 and float(data[0]) == 1.5 and int(data[1]) == 2 and bool(data[0])
    assert data.tolist() == [1.5, 2.5] and data.max().item() == 2.5 and 1.5 in data and len(data) == 2
    assert f"{data[0]:.1f}" == "1.5" and [value.item() for value in data] == [1.5, 2.5]


def test_complex_numbers_and_spectra():
    data = torch.randn(8)
    there = torch.fft.rfft(data.to("npu"))
    torch.testing.assert_close(there.cpu(), torch.fft.rfft(data))
    torch.testing.assert_close(torch.fft.irfft(there).cpu(), data)
    window = torch.hann_window(4, device="npu")
    assert torch.stft(data.to("npu"), 4, window=window, return_complex=True).is_npu
    assert (there * there.conj()).real.cpu().ge(0).all()


def test_linear_algebra():
    data = torch.randn(4, 4, dtype=torch.float64)
    matrix = data @ data.t() + 4 * torch.eye(4, dtype=torch.float64)
    there = matrix.to("npu")
    torch.testing.assert_close(torch.linalg.inv(there).cpu(), torch.linalg.inv(matrix))
    torch.testing.assert_close(torch.linalg.eigvalsh(there).cpu(), torch.linalg.eigvalsh(matrix))
    torch.testing.assert_close(torch.linalg.cholesky(there).cpu(), torch.linalg.cholesky(matrix))
    values = torch.linalg.svd(there)
    torch.testing.assert_close((values.U * values.S) @ values.Vh, there)


def test_results_are_compared():
    one = torch.ones(2, device="npu")
    torch.testing.assert_close(one, torch.ones(2, device="npu"))
    assert (
        torch.allclose(one, one) and torch.equal(one, one) and (one == one).all() and one.isnan().sum() == 0
    )
    with pytest.raises(AssertionError):
        torch.testing.assert_close(one, torch.zeros(2, device="npu"))


def test_dispatch_modes_see_the_device():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    with Watch():
        result = torch.ones(2, device="npu") + 1
    assert result.is_npu and "aten.add.Tensor" in seen


def test_subclasses_of_tensors_live_on_the_device():
    class Named(torch.Tensor):
        pass

    tensor = torch.ones(2, device="npu").as_subclass(Named)
    assert isinstance(tensor + 1, Named) and (tensor + 1).is_npu and tensor.sum().item() == 2.0


def test_operators_of_ones_own():
    @torch.library.custom_op("battery::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    assert twice(torch.ones(2, device="npu")).tolist() == [2.0, 2.0]


def test_data_parallel_trains_on_the_first_device():
    trace.clear()
    layer = torch.nn.Linear(4, 2).npu()
    parallel = torch.nn.DataParallel(layer)
    parallel(torch.ones(8, 4)).sum().backward()
    assert parallel.module is layer and layer.weight.grad.tolist() == [[8.0] * 4] * 2
    assert torch.nn.parallel.data_parallel(layer, torch.ones(8, 4, device="npu")).shape == (8, 2)
    assert [refusal.kind for refusal, _ in trace.refusals()] == ["unsupported", "unsupported"]


def test_tensors_are_scattered_and_gathered():
    data = torch.arange(6.0, device="npu").requires_grad_()
    parts = torch.nn.parallel.scatter(data, [0, 1])
    assert [str(part.device) for part in parts] == ["npu:0", "npu:1"]
    (torch.nn.parallel.gather(parts, 0) * data).sum().backward()
    assert data.grad.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
