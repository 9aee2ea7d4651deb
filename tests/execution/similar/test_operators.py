"""The calls of mx_driving that NPU709 writes compute what the calls of the CUDA libraries did.

Both packages are played by plain implementations: that of the library takes the arguments that the library
documents, that of mx_driving those of its wheel, by position where the wheel takes them so only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpu2ascend_rules.fixing import apply_fixes  # noqa: E402
from gpu2ascend_rules.options.options import options_from  # noqa: E402
from gpu2ascend_rules.text.source_file import SourceFile  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU709"], "unsafe_fixes": True})


def scattered(src: Any, index: Any, dim: int, size: int | None, how: str, out: Any = None) -> Any:
    shape = list(src.shape)
    shape[dim] = size if size is not None else int(index.max()) + 1
    given = torch.zeros(shape) if out is None else out
    view = [1] * src.dim()
    view[dim] = -1
    wide = (index.view(view) if index.dim() == 1 else index).long().expand_as(src)
    return given.scatter_reduce(dim, wide, src, how, include_self=out is not None)


def sparse(*arguments: Any, **options: Any) -> tuple[Any, ...]:
    """A layer stands for what it was made with, by name."""
    names = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "groups", "bias")
    made = {"stride": 1, "padding": 0, **dict(zip(names, arguments, strict=False)), **options}
    made.pop("mode", None)
    return tuple(sorted(made.items(), key=str))


LIBRARIES: dict[str, dict[str, Callable[..., Any]]] = {
    "torch_scatter": {
        "scatter_mean": lambda src, index, dim=-1, out=None, dim_size=None: scattered(
            src, index, dim, dim_size, "mean", out
        ),
        "scatter_sum": lambda src, index, dim=-1, out=None, dim_size=None: scattered(
            src, index, dim, dim_size, "sum", out
        ),
    },
    "pointnet2_ops": {
        "furthest_point_sample": lambda xyz, npoint: (xyz.sum(), npoint),
        "grouping_operation": lambda features, idx: features[:, :, idx.long().flatten()],
        "three_nn": lambda unknown, known: torch.cdist(unknown, known).topk(3, largest=False),
    },
    "spconv": {
        "SubMConv3d": sparse,
        "SparseConv3d": sparse,
        "SparseInverseConv3d": lambda i, o, kernel_size, indice_key=None, bias=True: sparse(
            i, o, kernel_size, indice_key=indice_key, bias=bias
        ),
    },
}
NPU: dict[str, Callable[..., Any]] = {
    "scatter_mean": lambda src, index, out=None, dim=0, dim_size=None, /: scattered(
        src, typed(index, torch.int32), dim, dim_size, "mean", out
    ),
    "scatter_add": lambda src, index, out=None, dim=0, dim_size=None, /: scattered(
        src, typed(index, torch.int32), dim, dim_size, "sum", out
    ),
    "furthest_point_sampling": lambda point_xyz, num_points: (point_xyz.sum(), num_points),
    "group_points": lambda features, indices: features[:, :, typed(indices, torch.int32).long().flatten()],
    "three_nn": lambda target, source, /: torch.cdist(target, source).topk(3, largest=False),
    "SubMConv3d": sparse,
    "SparseConv3d": sparse,
    "SparseInverseConv3d": lambda *arguments, bias=True, **options: sparse(*arguments, bias=bias, **options),
}


def typed(tensor: Any, dtype: Any) -> Any:
    assert tensor.dtype is dtype
    return tensor


def result_of(text: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, functions in {**LIBRARIES, "mx_driving": NPU}.items():
        module = ModuleType(name)
        vars(module).update(functions)
        monkeypatch.setitem(sys.modules, name, module)
    generator = torch.Generator().manual_seed(3)
    names: dict[str, Any] = {
        "x": torch.randn(6, 4, generator=generator),
        "i": torch.tensor([0, 2, 1, 0, 2, 2]),
        "points": torch.randn(2, 8, 3, generator=generator),
        "out": torch.ones(5, 4),
    }
    exec(text, names)
    return names["y"]


@pytest.mark.parametrize(
    "call",
    [
        "torch_scatter.scatter_mean(x, i, 0)",
        "torch_scatter.scatter_mean(x, i, dim=0, dim_size=5)",
        "torch_scatter.scatter_mean(src=x, index=i, dim=0, out=out)",
        "torch_scatter.scatter_sum(x.t(), i, dim=1)",
        "torch_scatter.scatter_sum(x + 1, i, 0, None, 4)",
        "pointnet2_ops.furthest_point_sample(points, 4)",
        "pointnet2_ops.grouping_operation(points, torch.tensor([[0, 1]]))",
        "pointnet2_ops.three_nn(points, points * 2)",
        "spconv.SubMConv3d(16, 32, 3, padding=1, bias=False, indice_key='a')",
        "spconv.SparseConv3d(16, 32, 3, 2, 1)",
        "spconv.SparseInverseConv3d(16, 32, 3, 'a', False)",
        "spconv.SparseInverseConv3d(16, 32, 3, indice_key='a')",
    ],
)
def test_the_fix_computes_the_same(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = f"import torch\nimport torch_scatter, pointnet2_ops, spconv\ny = {call}\n"
    after = apply_fixes(SourceFile(before), OPTIONS).text
    assert "mx_driving." in after
    old, new = result_of(before, monkeypatch), result_of(after, monkeypatch)
    torch.testing.assert_close(new, old) if not isinstance(old, tuple) else check_parts(new, old)


def check_parts(new: Any, old: Any) -> None:
    assert len(new) == len(old)
    for one, other in zip(new, old, strict=True):
        equal = torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other
        assert equal


@pytest.mark.parametrize(
    "call",
    [
        "torch_scatter.scatter_mean(x, i)",
        "torch_scatter.scatter_mean(x, i, dim)",
        "torch_scatter.scatter_mean(*given, dim=0)",
        "spconv.SubMConv3d(16, 32, 3, algo=a)",
        "spconv.SubMConv2d(16, 32, 3)",
    ],
)
def test_a_call_whose_meaning_is_not_certain_stays(call: str) -> None:
    text = f"import torch\nimport torch_scatter, spconv\ny = {call}\n"
    assert apply_fixes(SourceFile(text), OPTIONS).text == text
