"""``pad`` and the layers made of it are torch's, in every mode."""

from __future__ import annotations

from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

from hypothesis import assume, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.execution.similar.compare import assert_same, random_tensor  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROFILE = settings(max_examples=150)
DTYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.bool, torch.complex64)
SHAPES = st.lists(st.integers(0, 5), min_size=1, max_size=5)
WIDTHS = st.lists(st.integers(-3, 5), max_size=7)
SEEDS = st.integers(0, 1000)


@PROFILE
@given(shape=SHAPES, widths=WIDTHS, value=st.sampled_from([None, 0, 1, 2.5, -1]), data=st.data())
def test_constant_padding(
    similar: ModuleType, shape: list[int], widths: list[int], value: float | None, data: st.DataObject
) -> None:
    x = random_tensor(shape, data.draw(st.sampled_from(DTYPES)), 0)
    keywords = {} if value is None else {"value": value}
    assert_same(
        lambda t: similar.pad(t, widths, **keywords),
        lambda t: torch.nn.functional.pad(t, widths, **keywords),
        x,
    )


@PROFILE
@given(
    shape=st.lists(st.integers(0, 5), min_size=1, max_size=5),
    widths=st.lists(st.integers(-2, 5), min_size=1, max_size=6),
    mode=st.sampled_from(["reflect", "replicate", "circular", "mirror"]),
    dtype=st.sampled_from((torch.float32, torch.float64, torch.complex64, torch.int64)),
)
def test_padding_from_the_input(
    similar: ModuleType, shape: list[int], widths: list[int], mode: str, dtype: torch.dtype
) -> None:
    # Of what is cropped to less than it wraps around, torch gives memory as it finds it.
    assume(mode != "circular" or not _wraps_more_than_is_left(shape, widths))
    assert_same(
        lambda t: similar.pad(t, widths, mode),
        lambda t: torch.nn.functional.pad(t, widths, mode),
        random_tensor(shape, dtype, 1),
    )


def _wraps_more_than_is_left(shape: list[int], widths: list[int]) -> bool:
    pairs = zip(widths[::2], widths[1::2], strict=False)
    return any(
        max(pair) > size + min(*pair, 0)
        for size, pair in zip(reversed(shape), pairs, strict=False)
        if min(pair) < 0
    )


def test_call_styles(similar: ModuleType) -> None:
    x = torch.arange(12.0).reshape(1, 3, 4)
    for pad in (similar.pad, torch.nn.functional.pad):
        assert pad(input=x, pad=(1, 1), mode="constant", value=7).sum() == x.sum() + 42
        assert pad(x, [1, 1], "reflect").shape == (1, 3, 6)
        with pytest.raises((RuntimeError, ValueError)):
            pad(x, (1, 1), "reflect", 7)


def test_the_result_shares_no_memory_with_the_input(similar: ModuleType) -> None:
    x = torch.zeros(1, 2, 2)
    for mode, widths in (("constant", (0, 0)), ("constant", (-1, 0)), ("reflect", (0, 0))):
        assert similar.pad(x, widths, mode).fill_(1).all()
    assert not x.any()


@PROFILE
@given(
    name=st.sampled_from(["ReflectionPad2d", "ReplicationPad2d"]),
    shape=st.lists(st.integers(1, 6), min_size=3, max_size=4),
    padding=st.one_of(st.integers(0, 4), st.tuples(*[st.integers(-1, 4)] * 4)),
    dtype=st.sampled_from((torch.float32, torch.float64)),
)
def test_layers(
    similar: ModuleType, name: str, shape: list[int], padding: int | tuple[int, ...], dtype: torch.dtype
) -> None:
    ours, theirs = getattr(similar, name)(padding), getattr(torch.nn, name)(padding)
    assert repr(ours) == repr(theirs)
    assert isinstance(ours, type(theirs))
    assert_same(ours, theirs, random_tensor(shape, dtype, 2))


def test_borders_are_not_zeros(similar: ModuleType) -> None:
    x = torch.ones(1, 1, 3, 3)
    assert similar.ReflectionPad2d(2)(x).all() and similar.ReplicationPad2d(2)(x).all()
