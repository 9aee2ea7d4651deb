"""Random numbers of the device are independent of those of the CPU."""

import pytest
import torch
import torch_npu  # noqa: F401
from torch.nn import functional as F


def draw():
    return torch.rand(4, device="npu")


def test_manual_seed_of_torch_seeds_the_device_too():
    torch.manual_seed(1)
    first = draw()
    torch.manual_seed(1)
    assert torch.equal(first, draw())


def test_the_device_is_seeded_by_itself():
    torch.manual_seed(1)
    on_cpu = torch.rand(4)
    torch.manual_seed(1)
    torch.npu.manual_seed(5)
    other = draw()
    assert torch.equal(on_cpu, torch.rand(4)), "drawing on the device moved the generator of the CPU"
    torch.npu.manual_seed(5)
    assert torch.equal(other, draw())
    torch.npu.manual_seed_all(6)
    assert not torch.equal(other, draw())
    assert torch.npu.initial_seed() == 6


def test_dropout_draws_from_the_device():
    torch.manual_seed(1)
    expected = torch.rand(4)
    torch.manual_seed(1)
    first = F.dropout(torch.ones(64, device="npu"))
    assert torch.equal(expected, torch.rand(4))
    torch.npu.manual_seed(1)
    assert torch.equal(first, F.dropout(torch.ones(64, device="npu")))


def test_states():
    state = torch.npu.get_rng_state()
    assert state.device.type == "cpu" and state.dtype == torch.uint8
    first = draw()
    torch.npu.set_rng_state(state)
    assert torch.equal(first, draw())
    states = torch.npu.get_rng_state_all()
    assert len(states) == 2 == len(torch.npu.default_generators)
    on_second = torch.rand(3, device="npu:1")
    torch.npu.set_rng_state_all(states)
    assert torch.equal(on_second, torch.rand(3, device="npu:1"))


def test_seeding_at_random():
    torch.npu.seed()
    first = torch.npu.initial_seed()
    torch.npu.seed_all()
    assert torch.npu.initial_seed() != first


def test_generators():
    generator = torch.Generator(device="npu").manual_seed(3)
    first = torch.randn(3, device="npu", generator=generator)
    assert torch.equal(first, torch.randn(3, device="npu", generator=generator.manual_seed(3)))
    assert torch.randperm(5, device="npu", generator=generator).is_npu
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator"):
        torch.randn(3, device="npu", generator=torch.Generator())
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator"):
        torch.randn(3, generator=generator)


def test_fork_rng():
    torch.manual_seed(0)
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        inside = draw()
    assert torch.equal(inside, draw())


def test_the_usual_distributions():
    for tensor in (
        torch.randint(0, 9, (3,), device="npu"),
        torch.zeros(3, device="npu").uniform_().exponential_().normal_(),
        torch.bernoulli(torch.full((3,), 0.5, device="npu")),
        torch.multinomial(torch.ones(4, device="npu"), 2),
        torch.distributions.Normal(torch.zeros(2, device="npu"), 1.0).sample(),
        torch.randn_like(torch.ones(2, device="npu")),
    ):
        assert tensor.is_npu
