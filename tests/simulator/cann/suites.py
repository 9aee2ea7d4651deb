"""torch's own tables of operators, modules and optimizers, on torch_npu and on the CPU: a program of its own.

``suites.py SHARE SHARES`` prints a line of JSON for each check that is made: what began, what differed.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch_npu  # noqa: F401 - it makes the device
from torch.autograd import forward_ad
from torch.utils._pytree import tree_leaves, tree_map

from gpu2ascend_simulator.cann.start import begin

SAMPLES = 3
SECONDS = 60
CPU, NPU = "cpu", "npu"
_UNDEFINED = frozenset(
    {"empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"}
)
"""Operators whose result has no defined values."""
_UNDEFINED_CHECKS = frozenset(
    {
        ("fft.ihfftn", "out"),
        ("nn.functional.multilabel_margin_loss", "empty"),
        ("resize_", "empty"),
        ("resize_as_", "empty"),
    }
)
"""Checks after which torch's own result holds what was in the memory before."""
_INDICES_OF_THE_CPU = frozenset({"tensor_split"})
"""Operators whose tensors of whole numbers belong on the CPU, also beside a GPU."""
Outcome = list[torch.Tensor] | str
Layout = Callable[[torch.Tensor], torch.Tensor]


class Late(Exception):
    """A check took too long."""


def _as_it_is(value: torch.Tensor) -> torch.Tensor:
    return value


def _strided(value: torch.Tensor) -> torch.Tensor:
    return torch.stack((value, value), -1)[..., 0]


def _channels_last(value: torch.Tensor) -> torch.Tensor:
    return value.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) if value.dim() == 4 else value


def _nothing(value: torch.Tensor) -> torch.Tensor:
    return value[:0] if value.dim() else value


def _conjugated(value: torch.Tensor) -> torch.Tensor:
    return value.conj() if value.is_complex() else value


def moved(value: Any, device: str, layout: Layout = _as_it_is, indices: bool = True) -> Any:
    """Arguments of an operator, with their tensors on a device and in a layout; leaves of autograd."""

    def move(part: Any) -> Any:
        if isinstance(part, torch.Tensor) and part.layout is torch.strided:
            if not indices and part.dtype is torch.int64:
                return part
            return layout(part.detach().to(device)).detach().requires_grad_(part.requires_grad)
        return torch.device(device) if isinstance(part, torch.device) else part

    return tree_map(move, value)


class Sample:
    """One call of an operator that can be made on each device."""

    def __init__(self, operator: Any, sample: Any) -> None:
        self.operator = operator
        self._given = ((sample.input, *sample.args), sample.kwargs)

    def on(self, device: str, layout: Layout = _as_it_is) -> tuple[Any, Any]:
        """Its arguments."""
        indices = self.operator.name not in _INDICES_OF_THE_CPU
        args, kwargs = moved(self._given, device, layout, indices)
        return args, {**kwargs, "device": device} if "device" in kwargs else kwargs

    def forward(self, device: str, layout: Layout = _as_it_is) -> Any:
        """The results."""
        args, kwargs = self.on(device, layout)
        return self.operator(*args, **kwargs)

    def backward(self, device: str) -> Any:
        """The gradients of all inputs."""
        args, kwargs = self.on(device)
        results = [x for x in tensors(self.operator(*args, **kwargs)) if x.requires_grad]
        wanted = [x for x in tensors((args, kwargs)) if x.requires_grad]
        if not results or not wanted:
            return []
        ones = [torch.ones_like(x) for x in results]
        found = torch.autograd.grad(results, wanted, ones, allow_unused=True)
        return [x for x in found if x is not None]

    def out(self, device: str) -> Any:
        """What is written into a tensor that is given."""
        args, kwargs = self.on(device)
        with torch.no_grad():
            given = tree_map(torch.empty_like, self.operator(*args, **kwargs))
            self.operator(*args, **kwargs, out=given)
        return given

    def inplace(self, device: str) -> Any:
        """What becomes of the input."""
        args, kwargs = self.on(device)
        changed = args[0].detach().clone()
        with torch.no_grad():
            self.operator.get_inplace()(changed, *args[1:], **kwargs)
        return changed

    def jvp(self, device: str) -> Any:
        """The derivatives in a direction."""
        args, kwargs = self.on(device)
        with forward_ad.dual_level():

            def dual(part: Any) -> Any:
                if not isinstance(part, torch.Tensor) or not part.requires_grad:
                    return part
                return forward_ad.make_dual(part.detach(), torch.ones_like(part))

            results = self.operator(*tree_map(dual, args), **tree_map(dual, kwargs))
            found = (forward_ad.unpack_dual(x).tangent for x in tensors(results))
            return [x for x in found if x is not None]


def tensors(value: Any) -> list[torch.Tensor]:
    """The dense tensors in a value."""
    return [x for x in tree_leaves(value) if isinstance(x, torch.Tensor) and x.layout is torch.strided]


def outcome(run: Callable[[], Any]) -> Outcome:
    """The tensors that a call gives, on the CPU, or what it raises."""
    torch.manual_seed(1)
    try:
        return [x.detach().cpu() for x in tensors(run())]
    except Late:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def difference(want: Outcome, got: Outcome) -> str | None:
    """What two outcomes do not have in common; which error is raised is of no interest."""
    if isinstance(want, str) or isinstance(got, str):
        return None if isinstance(want, str) else f"raises {got}"
    if len(want) != len(got):
        return f"{len(got)} results instead of {len(want)}"
    for one, other in zip(want, got, strict=True):
        try:
            tolerance = {"rtol": 1e-3, "atol": 1e-4}
            torch.testing.assert_close(other, one, equal_nan=True, check_stride=False, **tolerance)
        except AssertionError as error:
            return " ".join(str(error).split())[:200]
    return None


def _of_samples(operator: Any, dtype: torch.dtype) -> Iterator[Sample]:
    if dtype in operator.supported_dtypes(CPU):
        grad = operator.supports_autograd
        found = operator.sample_inputs(CPU, dtype, requires_grad=grad)
        yield from (Sample(operator, sample) for sample in itertools.islice(found, SAMPLES))


def _layouts(sample: Sample) -> Iterator[tuple[str, Callable[[str], Any]]]:
    for name, layout in (
        ("forward", _as_it_is),
        ("strided", _strided),
        ("channels_last", _channels_last),
        ("empty", _nothing),
    ):
        yield name, functools.partial(sample.forward, layout=layout)


def operator_checks(operator: Any) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """The checks of an operator: the name, and what is run with a device."""
    for check, run in _all_checks(operator):
        if (operator.name, check) not in _UNDEFINED_CHECKS:
            yield check, run


def _all_checks(operator: Any) -> Iterator[tuple[str, Callable[[str], Any]]]:
    for sample in _of_samples(operator, torch.float32):
        yield from _layouts(sample)
        if operator.supports_autograd:
            yield "backward", sample.backward
        if operator.supports_out:
            yield "out", sample.out
        if operator.get_inplace() is not None:
            yield "inplace", sample.inplace
        if operator.supports_forward_ad:
            yield "jvp", sample.jvp
    for sample in _of_samples(operator, torch.complex64):
        yield "conj", functools.partial(sample.forward, layout=_conjugated)


def module_checks(info: Any) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """A module is made on the CPU, copied, and gives results and gradients."""
    for training in (True, False):
        options = {"device": CPU, "dtype": torch.float32, "requires_grad": True, "training": training}
        for given in itertools.islice(info.module_inputs_func(info, **options), SAMPLES):
            made = given.constructor_input
            module = info.module_cls(*made.args, **made.kwargs).train(training)

            def run(device: str, module: Any = module, given: Any = given.forward_input) -> Any:
                here = copy.deepcopy(module).to(device)
                args, kwargs = moved((given.args, given.kwargs), device)
                results = tensors(here(*args, **kwargs))
                wanted = [x for x in (*here.parameters(), *tensors(args)) if x.requires_grad]
                roots = [x for x in results if x.requires_grad]
                found = torch.autograd.grad(
                    roots, wanted, [torch.ones_like(x) for x in roots], allow_unused=True
                )
                return [*results, *(x for x in found if x is not None)]

            yield "train" if training else "eval", run


def optimizer_checks(info: Any) -> Iterator[tuple[str, Callable[[str], Any]]]:
    """Three steps of each choice of options."""
    for given in info.optim_inputs_func(CPU):

        def run(device: str, options: Any = given.kwargs) -> Any:
            torch.manual_seed(0)
            model = torch.nn.Linear(4, 3).to(device)
            data = torch.randn(5, 4).to(device)
            known = moved({k: v for k, v in options.items() if k != "params"}, device)
            optimizer = info.optim_cls(model.parameters(), **known)

            def loss() -> torch.Tensor:
                optimizer.zero_grad()
                value = model(data).square().mean()
                value.backward()
                return value

            for _ in range(3):
                optimizer.step(loss)
            return list(model.parameters())

        yield given.desc or "default", run


def everything() -> Iterator[tuple[str, str, Callable[[], Iterator[tuple[str, Callable[[str], Any]]]]]]:
    """The suites, the names in them, and their checks."""
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    for operator in op_db:
        if operator.name not in _UNDEFINED:
            yield "operator", operator.formatted_name, functools.partial(operator_checks, operator)
    for info in module_db:
        yield "module", info.name, functools.partial(module_checks, info)
    for info in optim_db:
        yield "optimizer", info.optim_cls.__name__, functools.partial(optimizer_checks, info)


def report(suite: str, name: str, checks: Iterator[tuple[str, Callable[[str], Any]]]) -> None:
    """Make the checks of a name, and print the first difference of each kind."""
    told: set[str] = set()
    made = 0
    for check, run in checks:
        if check in told:
            continue
        print(json.dumps({"began": [suite, name, check]}), flush=True)
        want = outcome(functools.partial(run, CPU))
        made += not isinstance(want, str)
        found = difference(want, outcome(functools.partial(run, NPU)))
        if found is not None:
            told.add(check)
            print(json.dumps({"differs": [suite, name, check, found]}), flush=True)
    print(json.dumps({"made": made}), flush=True)


def main(share: int, shares: int) -> None:
    """Run one of so many shares of everything."""

    def late(*_: object) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    for number, (suite, name, checks) in enumerate(everything()):
        if number % shares != share:
            continue
        signal.alarm(SECONDS)
        try:
            report(suite, name, checks())
        except Late:
            print(json.dumps({"differs": [suite, name, "time", "late"]}), flush=True)
        finally:
            signal.alarm(0)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    begin({}, compares=True)
    main(int(sys.argv[1]), int(sys.argv[2]))
