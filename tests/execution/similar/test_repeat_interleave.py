"""``repeat_interleave`` is torch's, as a function and as a method, in both its forms."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.execution.similar.compare import assert_same, random_tensor  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

PROFILE = settings(max_examples=200)
DTYPES = (torch.float32, torch.float64, torch.float16, torch.int32, torch.int64, torch.bool, torch.complex64)


@PROFILE
@given(
    shape=st.lists(st.integers(0, 4), max_size=4),
    dtype=st.sampled_from(DTYPES),
    repeats=st.one_of(
        st.integers(-1, 4),
        st.lists(st.integers(0, 3), max_size=5).map(torch.tensor),
        st.integers(0, 3).map(torch.tensor),
    ),
    kind=st.sampled_from([torch.int64, torch.int32, torch.float32]),
    dim=st.one_of(st.none(), st.integers(-5, 4)),
)
def test_equals_torch(
    similar: ModuleType,
    shape: list[int],
    dtype: torch.dtype,
    repeats: Any,
    kind: torch.dtype,
    dim: int | None,
) -> None:
    counts = repeats.to(kind) if isinstance(repeats, torch.Tensor) else repeats
    x = random_tensor(shape, dtype, 4)
    assert_same(
        lambda t: similar.repeat_interleave(t, counts, dim),
        lambda t: torch.repeat_interleave(t, counts, dim),
        x,
    )
    assert_same(
        lambda t: similar.repeat_interleave(t, counts, dim=dim),
        lambda t: t.repeat_interleave(counts, dim=dim),
        x,
    )


@PROFILE
@given(
    counts=st.lists(st.integers(0, 3), max_size=5),
    kind=st.sampled_from([torch.int64, torch.int32]),
    extra=st.sampled_from([None, 0, 1]),
)
def test_the_form_that_takes_only_repeats(
    similar: ModuleType, counts: list[int], kind: torch.dtype, extra: int | None
) -> None:
    repeats = torch.tensor(counts, dtype=kind)
    keywords = {} if extra is None else {"output_size": sum(counts) + extra}
    assert_same(
        lambda t: similar.repeat_interleave(t, **keywords),
        lambda t: torch.repeat_interleave(t, **keywords),
        repeats,
    )
    assert torch.equal(similar.repeat_interleave(repeats=repeats), torch.repeat_interleave(repeats=repeats))


def test_call_styles(similar: ModuleType) -> None:
    x = torch.tensor([[1, 2], [3, 4]])
    for function in (similar.repeat_interleave, torch.repeat_interleave):
        assert function(input=x, repeats=2, dim=0).tolist() == [[1, 2], [1, 2], [3, 4], [3, 4]]
        assert function(x, torch.tensor([1, 2]), dim=-1, output_size=3).tolist() == [[1, 2, 2], [3, 4, 4]]
        with pytest.raises(RuntimeError):
            function(x, torch.tensor([1, 2]), dim=0, output_size=9)
