"""``SyncBatchNorm`` in one process is batch normalization, and converting keeps what a module has."""

from __future__ import annotations

from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.execution.similar.compare import assert_same, random_tensor  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]


@settings(max_examples=80)
@given(
    tail=st.lists(st.integers(1, 4), max_size=3),
    affine=st.booleans(),
    track=st.booleans(),
    momentum=st.sampled_from([None, 0.1, 0.9]),
    training=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_alone_it_is_batch_normalization(
    similar: ModuleType,
    tail: list[int],
    affine: bool,
    track: bool,
    momentum: float | None,
    training: bool,
    dtype: torch.dtype,
) -> None:
    kind = (torch.nn.BatchNorm1d, torch.nn.BatchNorm1d, torch.nn.BatchNorm2d, torch.nn.BatchNorm3d)[len(tail)]
    theirs = kind(3, 1e-3, momentum, affine, track, dtype=dtype).train(training)
    ours = similar.SyncBatchNorm(3, 1e-3, momentum, affine, track, dtype=dtype).train(training)
    for seed in range(2):
        assert_same(ours, theirs, random_tensor((4, 3, *tail), dtype, seed))
    for (name, mine), other in zip(ours.state_dict().items(), theirs.state_dict().values(), strict=True):
        torch.testing.assert_close(mine, other, msg=name)


def test_vectors_are_refused(similar: ModuleType) -> None:
    with pytest.raises(ValueError, match="2D"):
        similar.SyncBatchNorm(3)(torch.zeros(3))


def test_converting_keeps_everything(similar: ModuleType) -> None:
    def make() -> torch.nn.Module:
        torch.manual_seed(0)
        inner = torch.nn.Sequential(torch.nn.BatchNorm1d(2, momentum=None), torch.nn.ReLU())
        model = torch.nn.Sequential(torch.nn.Conv2d(2, 3, 1), torch.nn.BatchNorm2d(3, affine=False), inner)
        model[1].qconfig = "some"
        model[1].eval()
        torch.nn.init.normal_(inner[0].weight)
        inner[0].running_mean += 3
        inner[0].num_batches_tracked += 7
        return model

    model, group = make(), object()
    ours = similar.SyncBatchNorm.convert_sync_batchnorm(model, group)
    theirs = torch.nn.SyncBatchNorm.convert_sync_batchnorm(make(), group)
    assert ours is model and isinstance(ours[2][0], similar.SyncBatchNorm)
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for mine, other in zip(ours.state_dict().values(), theirs.state_dict().values(), strict=True):
        assert torch.equal(mine, other)
    for mine, other in zip(ours.modules(), theirs.modules(), strict=True):
        assert mine.training == other.training
        assert getattr(mine, "momentum", 0) == getattr(other, "momentum", 0)
        assert getattr(mine, "process_group", 0) is getattr(other, "process_group", 0)
        assert getattr(mine, "qconfig", None) == getattr(other, "qconfig", None)


def test_converting_one_layer_gives_the_new_one(similar: ModuleType) -> None:
    layer = torch.nn.BatchNorm2d(3)
    converted = similar.SyncBatchNorm.convert_sync_batchnorm(layer)
    assert isinstance(converted, similar.SyncBatchNorm)
    assert converted.weight is layer.weight and converted.running_var is layer.running_var
