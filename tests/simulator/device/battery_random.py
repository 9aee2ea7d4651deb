"""Random numbers of the device are independent of those of the CPU."""

import pickle

import pytest
import torch
from torch.nn import functional as F

from gpu2ascend_simulator.device import library, standalone

standalone.start()


def draw(device="npu"):
    return torch.rand(4, device=device)


def test_torchs_seed_is_the_devices_too():
    torch.manual_seed(1)
    first = draw()
    torch.manual_seed(1)
    assert torch.equal(first, draw()) and not torch.equal(first, draw())


def test_drawing_leaves_the_generator_of_the_cpu_alone():
    torch.manual_seed(1)
    expected = torch.rand(4)
    torch.manual_seed(1)
    draw(), F.dropout(torch.ones(9, device="npu")), torch.randperm(4, device="npu")
    torch.ones(9, device="npu").bernoulli_(), F.rrelu(torch.ones(3, device="npu"), training=True)
    assert torch.equal(expected, torch.rand(4))


def test_devices_draw_for_themselves():
    torch.manual_seed(1)
    first = draw("npu:1")
    torch.manual_seed(1)
    draw("npu:0")
    assert torch.equal(first, draw("npu:1"))


def test_dropout_repeats_with_the_seed():
    library.default_generator(0).manual_seed(2)
    first = F.dropout(torch.ones(64, device="npu"))
    library.default_generator(0).manual_seed(2)
    assert torch.equal(first, F.dropout(torch.ones(64, device="npu")))


def test_operators_that_know_no_generator_draw_from_the_device():
    data = torch.full((64,), -1.0, device="npu")
    library.default_generator(0).manual_seed(2)
    first = torch.native_dropout(data, 0.5, True)[0]
    library.default_generator(0).manual_seed(2)
    assert torch.equal(first, torch.native_dropout(data, 0.5, True)[0])


def test_states_are_restored():
    generator = library.default_generator(0)
    state = generator.get_state()
    first = draw()
    generator.set_state(state)
    assert state.dtype == torch.uint8 and state.is_cpu and torch.equal(first, draw())


def test_generators_are_of_the_device():
    generator = torch.Generator(device="npu:1")
    assert generator.device == torch.device("npu:1") and isinstance(generator, torch.Generator)
    first = torch.randn(3, device="npu:1", generator=generator.manual_seed(3))
    assert torch.equal(first, torch.randn(3, device="npu:1", generator=generator.manual_seed(3)))
    assert generator.initial_seed() == 3
    for made in (
        torch.randperm(5, device="npu:1", generator=generator),
        torch.randint(0, 9, (2,), device="npu:1", generator=generator),
        torch.empty(3, device="npu:1").normal_(generator=generator),
        torch.multinomial(torch.ones(4, device="npu:1"), 2, generator=generator),
        torch.bernoulli(torch.full((3,), 0.5, device="npu:1"), generator=generator),
    ):
        assert made.device.index == 1


def test_generators_are_copied_with_their_state():
    generator = torch.Generator(device="npu").manual_seed(5)
    other, third = generator.clone_state(), pickle.loads(pickle.dumps(generator))
    expected = torch.rand(2, device="npu", generator=generator)
    for copied in (other, third):
        assert copied.device.type == "npu"
        assert torch.equal(expected, torch.rand(2, device="npu", generator=copied))


def test_a_generator_of_the_cpu_is_refused():
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator but found 'cpu'"):
        torch.randn(3, device="npu", generator=torch.Generator())


@pytest.mark.parametrize(
    "drawn",
    [
        lambda generator: torch.randn(3, generator=generator),
        lambda generator: torch.randperm(3, generator=generator),
        lambda generator: torch.empty(3).uniform_(generator=generator),
        lambda generator: torch.bernoulli(torch.ones(2), generator=generator),
    ],
)
def test_a_generator_of_the_device_is_refused_on_the_cpu(drawn):
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'npu'"):
        drawn(torch.Generator(device="npu"))


def test_generators_of_the_cpu_are_as_ever():
    generator = torch.Generator().manual_seed(1)
    assert generator.device.type == "cpu" and isinstance(generator, torch.Generator)
    assert isinstance(torch.default_generator, torch.Generator) and issubclass(
        type(generator), torch.Generator
    )
    torch.utils.data.RandomSampler(range(4), generator=generator)


def test_the_state_is_forked():
    torch.manual_seed(0)
    with torch.random.fork_rng(devices=[0], device_type="npu"):
        inside = draw()
    assert torch.equal(inside, draw())


def test_the_usual_distributions_draw_on_the_device():
    for tensor in (
        torch.zeros(3, device="npu").uniform_().exponential_().normal_().log_normal_().cauchy_(),
        torch.normal(0.0, 1.0, (3,), device="npu"),
        torch.poisson(torch.ones(3, device="npu")),
        torch.distributions.Normal(torch.zeros(2, device="npu"), 1.0).rsample(),
        torch.distributions.Categorical(torch.ones(3, device="npu")).sample(),
        torch.distributions.Gamma(torch.ones(3, device="npu"), 1.0).sample(),
        torch.distributions.Dirichlet(torch.ones(3, device="npu")).sample(),
        torch.randn_like(torch.ones(2, device="npu")),
    ):
        assert tensor.is_npu


def test_initialisations_draw_on_the_device():
    weight = torch.empty(8, 8, device="npu")
    torch.manual_seed(0)
    first = torch.nn.init.trunc_normal_(weight).clone()
    torch.manual_seed(0)
    assert torch.equal(first, torch.nn.init.trunc_normal_(weight))
    assert torch.nn.init.orthogonal_(weight).is_npu and torch.nn.init.kaiming_uniform_(weight).is_npu


def test_the_state_is_a_seed_and_an_offset() -> None:
    torch.npu.manual_seed(7)
    state = torch.npu.get_rng_state()
    assert (state.dtype, state.numel()) == (torch.uint8, 16)
    assert state[:8].view(torch.int64).item() == 7
    assert torch.equal(state, torch.npu.get_rng_state())


def test_a_changed_offset_draws_other_numbers_and_always_the_same() -> None:
    state = torch.npu.get_rng_state()
    plain = torch.rand(4, device="npu").cpu()
    drawn = []
    for _ in range(2):
        changed = state.clone()
        changed[8:] = (changed[8:].view(torch.int64) + 4).view(torch.uint8)
        torch.npu.set_rng_state(changed)
        drawn.append(torch.rand(4, device="npu").cpu())
    assert torch.equal(*drawn) and not torch.equal(plain, drawn[0])


def test_a_state_of_the_cpu_is_refused() -> None:
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        torch.npu.set_rng_state(torch.get_rng_state())
