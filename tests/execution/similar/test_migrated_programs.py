"""A program computes the same before and after its APIs are replaced by equivalents.

Values, gradients, strides, ``view`` of the result, TorchScript and tests of types stand in the text of the
program, so that both the equivalents and the places where they are put are held to it.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from gpu2ascend_rules.fixing import apply_fixes  # noqa: E402
from gpu2ascend_rules.options.options import options_from  # noqa: E402
from gpu2ascend_rules.text.source_file import SourceFile  # noqa: E402
from tests.execution.similar.conftest import Load  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.execution,
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated"),
]

PROFILE = settings(max_examples=8)
HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
LAYERS = {
    "nn.Conv3d(2, 4, 2, padding={width}, bias=False)": 3,
    "nn.Conv3d(2, 4, 2, padding={width}, padding_mode='circular')": 3,
    "nn.ReflectionPad2d({width})": 2,
    "nn.ReplicationPad2d({width})": 2,
}
"""Layers, with the number of dimensions behind the batch and the channels."""
CALLS = (
    "F.pad(x, ({width}, 1))",
    "F.pad(x, [0, 1, {width}, 0], 'constant', 2.0)",
    "F.pad(x, ({width}, 1, 0, 1), mode='reflect')",
    "torch.repeat_interleave(x, {width} + 1, 1)",
    "x.repeat_interleave({width} + 1)",
    "torch.repeat_interleave(x, torch.tensor([{width}, 1]), dim=1)",
)
WIDTHS = st.integers(0, 2)
SIZES = st.lists(st.integers(3, 5), min_size=3, max_size=3)
VERSIONS = pytest.mark.parametrize("version", ["1.8.1", "2.3.1"])
"""Of the first, all are replaced; of the second, Conv3d in its other form alone."""
USE = """
y = {use}
values, strides, flat = y.detach(), y.stride(), y.detach().view(-1)
(y * torch.linspace(-1, 1, y.numel(), dtype=y.dtype).view(y.shape)).sum().backward()
gradient = x.grad
"""
TYPES = """
m = {layer}
types = [
    type(m) is {name}, type(m) == {name}, type(m) in (nn.Linear, {name}), isinstance(m, {name}),
    issubclass(type(m), {name}), isinstance(m, (nn.Linear, {name})), {{{name}: True}}.get(type(m)),
    [type(c) is {name} for c in nn.Sequential(m, nn.ReLU()).children()], type(nn.Linear(1, 1)) is {name},
    type(m).__name__, repr(m), sorted(m.state_dict()),
]
"""


class Programs:
    """Runs texts as they are and as they become, in modules of their own."""

    def __init__(self, folder: Path, load: Load) -> None:
        self._folder, self._load = folder, load
        self._packages: dict[frozenset[str], ModuleType] = {}
        self._count = 0

    def run(self, text: str, x: Any) -> dict[str, Any]:
        """The variables of a module that has run with ``x``."""
        self._count += 1
        path = self._folder / f"program_{self._count}.py"
        path.write_text(text, encoding="utf-8")  # TorchScript reads the file
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        module.__dict__["x"] = x
        spec.loader.exec_module(module)
        return vars(module)

    def run_migrated(self, text: str, x: Any, version: str) -> tuple[dict[str, Any], frozenset[str]]:
        """The variables after the migrated module has run, and the parts that it uses."""
        outcome = apply_fixes(
            SourceFile(text), options_from({"version": version, "replace_unsupported": True})
        )
        parts = frozenset(outcome.equivalents)
        if parts and parts not in self._packages:
            self._packages[parts] = self._load(parts)
        package = ModuleType("ascend_function")
        with pytest.MonkeyPatch.context() as patch:
            if parts:
                package.__dict__["similar_api"] = self._packages[parts]
                patch.setitem(sys.modules, "ascend_function", package)
            return self.run(outcome.text, x), parts


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory, load: Load) -> Iterator[Programs]:
    yield Programs(tmp_path_factory.mktemp("programs"), load)


def tensor(sizes: list[int], *, is_transposed: bool = False) -> Any:
    generator = torch.Generator().manual_seed(1)
    if is_transposed:
        reversed_sizes = [*reversed(sizes), 2, 2]
        whole = torch.randn(reversed_sizes, generator=generator, dtype=torch.float32)
        return whole.permute(*reversed(range(len(reversed_sizes)))).requires_grad_()
    return torch.randn([2, 2, *sizes], generator=generator).requires_grad_()


def again(x: Any) -> Any:
    """The same tensor, strides too, without its gradient."""
    return x.detach().requires_grad_()


def assert_alike(before: dict[str, Any], after: dict[str, Any]) -> None:
    for name in ("values", "gradient", "flat"):
        torch.testing.assert_close(after[name], before[name], msg=name, rtol=1e-4, atol=1e-4)
    assert after["strides"] == before["strides"]


@VERSIONS
@pytest.mark.parametrize("layer", LAYERS)
@PROFILE
@given(width=WIDTHS, sizes=SIZES, is_transposed=st.booleans())
def test_layers(
    programs: Programs, version: str, layer: str, width: int, sizes: list[int], is_transposed: bool
) -> None:
    text = f"{HEAD}m = {layer.format(width=width)}\n{USE.format(use='m(x)')}"
    x = tensor(sizes[: LAYERS[layer]], is_transposed=is_transposed)
    after, parts = programs.run_migrated(text, again(x), version)
    assert bool(parts) == (version == "1.8.1" or "Conv3d" in layer)
    assert_alike(programs.run(text, again(x)), after)


@pytest.mark.parametrize("call", CALLS)
@PROFILE
@given(width=WIDTHS, sizes=SIZES, is_transposed=st.booleans())
def test_functions(programs: Programs, call: str, width: int, sizes: list[int], is_transposed: bool) -> None:
    typed = f"{HEAD}def run(x: torch.Tensor):\n    return {call.format(width=width)}\n"
    text = f"{typed}{USE.format(use='run(x)')}"
    x = tensor(sizes[:2], is_transposed=is_transposed)
    after, parts = programs.run_migrated(text, again(x), "1.8.1")
    assert parts
    assert_alike(programs.run(text, again(x)), after)


@VERSIONS
@pytest.mark.parametrize("layer", LAYERS)
@PROFILE
@given(width=st.integers(1, 2))
def test_scripted_layers(programs: Programs, version: str, layer: str, width: int) -> None:
    net = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    net += f"        self.m = {layer}\n    def forward(self, x):\n        return self.m(x)\n"
    text = f"{HEAD}{net.format(width=width)}m = torch.jit.script(Net())\n{USE.format(use='m(x)')}"
    x = tensor([4, 4, 4][: LAYERS[layer]])
    after, _ = programs.run_migrated(text, again(x), version)
    assert_alike(programs.run(text, again(x)), after)
    assert isinstance(after["m"], torch.jit.ScriptModule)


@pytest.mark.parametrize("call", CALLS)
def test_scripted_functions(programs: Programs, call: str) -> None:
    inner = f"def inner(x: torch.Tensor):\n    return {call.format(width=1)}\n"
    text = f"{HEAD}{inner}@torch.jit.script\ndef f(x):\n    return inner(x)\n{USE.format(use='f(x)')}"
    x = tensor([4, 4])
    after, parts = programs.run_migrated(text, again(x), "1.8.1")
    assert not parts
    assert_alike(programs.run(text, again(x)), after)


@VERSIONS
@pytest.mark.parametrize("layer", [*LAYERS, "nn.SyncBatchNorm(2)"])
def test_tests_of_types(programs: Programs, version: str, layer: str) -> None:
    text = HEAD + TYPES.format(layer=layer.format(width=1), name=layer.partition("(")[0])
    after, _ = programs.run_migrated(text, None, version)
    assert after["types"] == programs.run(text, None)["types"]
    assert all(after["types"][:5])


@pytest.mark.parametrize("training", [True, False])
@PROFILE
@given(sizes=SIZES, is_transposed=st.booleans())
def test_synchronized_normalization(
    programs: Programs, training: bool, sizes: list[int], is_transposed: bool
) -> None:
    """Without a process group: torch's own runs then on the CPU too."""
    text = f"{HEAD}m = nn.SyncBatchNorm(2).train({training})\n{USE.format(use='m(x)')}"
    x = tensor(sizes, is_transposed=is_transposed)
    after, parts = programs.run_migrated(text, again(x), "1.8.1")
    assert parts == {"sync_batch_norm"}
    assert_alike(programs.run(text, again(x)), after)
