"""``SyncBatchNorm`` in one process is batch normalization, and converting keeps what a module has."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
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


@pytest.fixture
def one_process(tmp_path: Path) -> Iterator[None]:
    """A process group of this process alone."""
    torch.distributed.init_process_group(
        "gloo", init_method=(tmp_path / "store").as_uri(), rank=0, world_size=1
    )
    yield
    torch.distributed.destroy_process_group()


def outside_the_group() -> object:
    """What ``new_group`` gives to a process that it does not take in."""
    return torch.distributed.GroupMember.NON_GROUP_MEMBER


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("group", [lambda: None, outside_the_group], ids=["alone", "outside"])
@pytest.mark.parametrize("training", [True, False])
def test_with_nobody_to_share_statistics_it_is_batch_normalization(
    similar: ModuleType, group: object, training: bool
) -> None:
    assert callable(group)
    ours = similar.SyncBatchNorm(3, process_group=group()).train(training)
    theirs = torch.nn.BatchNorm2d(3).train(training)
    assert_same(ours, theirs, random_tensor((4, 3, 2, 2), torch.float32, 1))
    for mine, other in zip(ours.state_dict().values(), theirs.state_dict().values(), strict=True):
        torch.testing.assert_close(mine, other)


def test_a_group_that_was_never_made_matters_to_nobody(similar: ModuleType) -> None:
    layer = similar.SyncBatchNorm.convert_sync_batchnorm(torch.nn.BatchNorm2d(3), object())
    x = torch.randn(4, 3, 2, 2)
    torch.testing.assert_close(layer(x), torch.nn.BatchNorm2d(3)(x))


def test_no_channels_are_refused_as_by_torch(similar: ModuleType) -> None:
    with pytest.raises(ValueError, match="non-zero"):
        torch.nn.SyncBatchNorm(0)(torch.zeros(2, 0, 3))
    with pytest.raises(ValueError, match="non-zero"):
        similar.SyncBatchNorm(0)(torch.zeros(2, 0, 3))


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
