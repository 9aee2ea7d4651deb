"""Calls of what PyTorch writes in Python and has no test samples for: utilities, distributions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from .trace import Call

_HALF, _PAIR = [0.5], [0.5, 0.5]
_DISTRIBUTIONS: Mapping[str, tuple[Any, ...]] = {
    "Bernoulli": (_HALF,), "Beta": (_HALF, _HALF), "Binomial": ([2.0], _HALF), "Categorical": (_PAIR,),
    "Cauchy": (_HALF, _HALF), "Chi2": (_HALF,), "ContinuousBernoulli": (_HALF,), "Dirichlet": (_PAIR,),
    "Exponential": (_HALF,), "FisherSnedecor": (_HALF, _HALF), "Gamma": (_HALF, _HALF), "Geometric": (_HALF,),
    "Gumbel": (_HALF, _HALF), "HalfCauchy": (_HALF,), "HalfNormal": (_HALF,), "Kumaraswamy": (_HALF, _HALF),
    "Laplace": (_HALF, _HALF), "LogNormal": (_HALF, _HALF),
    "MultivariateNormal": (_PAIR, [[1.0, 0.0], [0.0, 1.0]]),
    "Normal": (_HALF, _HALF), "OneHotCategorical": (_PAIR,), "Pareto": (_HALF, _HALF), "Poisson": (_HALF,),
    "RelaxedBernoulli": (_HALF, _HALF), "RelaxedOneHotCategorical": (_HALF, _PAIR), "StudentT": (_HALF,),
    "Uniform": ([0.0], [1.0]), "VonMises": (_HALF, _HALF), "Weibull": (_HALF, _HALF),
    "Wishart": ([2.0], [[1.0, 0.0], [0.0, 1.0]]),
}  # fmt: skip
"""Constructor arguments, each made a tensor."""


def helper_calls() -> Iterator[Call]:
    """Every call; each runs only when asked to."""
    torch: Any = importlib.import_module("torch")
    yield from _distributions(torch)
    for name, run in _utilities(torch).items():
        yield Call(name, run)


def _distributions(torch: Any) -> Iterator[Call]:
    for name, arguments in _DISTRIBUTIONS.items():
        cls = getattr(torch.distributions, name)
        values = [torch.tensor(argument) for argument in arguments]
        module = f"torch.distributions.{cls.__module__.rpartition('.')[2]}.{name}"
        for api in (f"torch.distributions.{name}", module):
            yield from _uses(api, partial(cls, *values))


def _uses(api: str, made: Callable[[], Any]) -> Iterator[Call]:
    """A distribution, and its two methods each by itself: what is drawn for one is drawn before."""
    drawn = made().sample()
    yield Call(api, lambda: made().log_prob(made().sample()))
    yield Call(f"{api}.sample", lambda: made().sample())
    yield Call(f"{api}.log_prob", lambda: made().log_prob(drawn))


def _utilities(torch: Any) -> dict[str, Callable[[], Any]]:
    nn = torch.nn
    rnn, parametrize = nn.utils.rnn, importlib.import_module("torch.nn.utils.parametrize")
    lengths = torch.tensor([3, 2])

    def batch() -> Any:
        return torch.randn(2, 3, 4, requires_grad=True)

    def packed() -> Any:
        return rnn.pack_padded_sequence(batch(), lengths, batch_first=True)

    def with_gradient() -> Any:
        layer = nn.Linear(4, 4)
        layer(batch()).sum().backward()
        return layer

    def parametrized() -> Any:
        layer = nn.Linear(4, 4)
        parametrize.register_parametrization(layer, "weight", nn.Identity())
        with parametrize.cached():
            layer(batch())
        parametrize.remove_parametrizations(layer, "weight")

    clip = "torch.nn.utils.clip_grad"
    return {
        "torch.nn.utils.rnn.pack_padded_sequence": packed,
        "torch.nn.utils.rnn.pad_packed_sequence": lambda: rnn.pad_packed_sequence(packed()),
        "torch.nn.utils.rnn.pack_sequence": lambda: rnn.pack_sequence([torch.randn(3, 4), torch.randn(2, 4)]),
        "torch.nn.utils.rnn.pad_sequence": lambda: rnn.pad_sequence([torch.randn(3, 4), torch.randn(2, 4)]),
        "torch.nn.utils.skip_init": lambda: nn.utils.skip_init(nn.Linear, 4, 4),
        "torch.nn.utils.clip_grad_norm_": lambda: nn.utils.clip_grad_norm_(with_gradient().parameters(), 1.0),
        "torch.nn.utils.clip_grad_value_": lambda: nn.utils.clip_grad_value_(
            with_gradient().parameters(), 1.0
        ),
        f"{clip}.clip_grad_norm_": lambda: nn.utils.clip_grad_norm_(with_gradient().parameters(), 1.0),
        f"{clip}.clip_grad_value_": lambda: nn.utils.clip_grad_value_(with_gradient().parameters(), 1.0),
        "torch.nn.utils.parametrize.cached": parametrized,
        "torch.nn.utils.parametrize.register_parametrization": parametrized,
        "torch.nn.utils.parametrize.remove_parametrizations": parametrized,
        "torch.nn.utils.parameters_to_vector": lambda: nn.utils.parameters_to_vector(
            nn.Linear(4, 4).parameters()
        ),
        "torch.nn.functional.gumbel_softmax": lambda: nn.functional.gumbel_softmax(batch()),
        "torch.nn.init.orthogonal_": lambda: nn.init.orthogonal_(torch.empty(4, 4)),
        "torch.nn.init.trunc_normal_": lambda: nn.init.trunc_normal_(torch.empty(4, 4)),
    }
