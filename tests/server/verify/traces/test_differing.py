"""Two tensors are the same but for the rounding of their type; which one differs first is named."""

from __future__ import annotations

import attrs
import pytest

from gpu2ascend.verify.traces.differing import TOLERANCES, compare_traces
from gpu2ascend.verify.traces.trace import Event, Trace


def event(name: str = "Net.a", kind: str = "output", **given: object) -> Event:
    statistics = {"mean": 0.5, "minimum": -1.0, "maximum": 2.0, "norm": 4.0, "sine": 0.1, "not_finite": 0.0}
    base = Event(step=0, kind=kind, name=name, index=0, shape=(2, 3), dtype="float32", statistics=statistics)
    return attrs.evolve(base, **given)  # type: ignore[arg-type]


def shifted(one: Event, statistic: str, by: float) -> Event:
    return attrs.evolve(one, statistics={**one.statistics, statistic: one.statistics[statistic] + by})


def same(one: Event, other: Event) -> bool:
    return compare_traces(Trace(events=(one,)), Trace(events=(other,))).is_same


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("statistic", "size"), [("mean", 2), ("maximum", 2), ("norm", 4), ("sine", 4)])
def test_what_rounding_makes_is_none_and_more_is(dtype: str, statistic: str, size: float) -> None:
    one = event(dtype=dtype)
    assert same(one, shifted(one, statistic, 0.9 * TOLERANCES[dtype] * size))
    assert not same(one, shifted(one, statistic, 1.1 * TOLERANCES[dtype] * size))


def test_values_that_are_no_numbers_count_exactly() -> None:
    assert not same(event(), shifted(event(), "not_finite", 1))
    nothing = event(statistics={"mean": float("nan")})
    assert same(nothing, nothing) and not same(nothing, event(statistics={"mean": 1.0}))


def test_whole_numbers_are_compared_by_their_hash() -> None:
    one = event(dtype="int64", hash="a")
    assert same(one, event(dtype="int64", hash="a")) and not same(one, event(dtype="int64", hash="b"))


def test_without_a_hash_whole_numbers_are_compared_by_their_statistics() -> None:
    one = event(dtype="int64")
    assert same(one, event(dtype="int64")) and not same(one, shifted(one, "mean", 0.01))


def test_what_has_no_numbers_counts_as_not_compared() -> None:
    sparse = event("Net.b", statistics={})
    for first, second in ((sparse, sparse), (sparse, event("Net.b")), (event("Net.b"), sparse)):
        found = compare_traces(Trace(events=(event(), first)), Trace(events=(event(), second)))
        assert (found.is_same, found.common, found.unread) == (True, 1, 1)
    assert not same(sparse, sparse)
    assert compare_traces(Trace(events=(sparse,)), Trace(events=(event("Net.b", shape=(9,)),))).differing == 1


def test_a_gradient_that_sums_up_to_nothing_is_rounding() -> None:
    large = event("Net.b", "gradient")
    noise = event("Net.a", "gradient", statistics={"mean": 1e-9, "minimum": 1e-9, "maximum": 1e-9})
    other = event("Net.a", "gradient", statistics={"mean": -3e-9, "minimum": -3e-9, "maximum": 2e-9})
    assert compare_traces(Trace(events=(large, noise)), Trace(events=(large, other))).is_same
    assert not same(attrs.evolve(noise, kind="output"), attrs.evolve(other, kind="output"))


def test_the_first_of_several_and_how_many() -> None:
    names = ("a", "b", "c")
    one = Trace(events=tuple(map(event, names)))
    other = Trace(events=(event("a"), *(shifted(event(name), "mean", 1) for name in ("b", "c"))))
    found = compare_traces(one, other)
    assert found.difference is not None and found.difference.first.name == "b"
    assert (found.common, found.differing) == (3, 2)


def test_a_module_that_one_run_calls_more_often_moves_nothing() -> None:
    one = Trace(events=(event("a"), event("b"), event("a", shape=(7,))))
    other = Trace(events=(event("a"), event("x"), event("b")))
    found = compare_traces(one, other)
    assert found.difference is None and not found.is_same
    assert ([item.shape for item in found.only_first], [item.name for item in found.only_second]) == (
        [(7,)],
        ["x"],
    )


def test_nothing_is_not_the_same_as_nothing() -> None:
    assert not compare_traces(Trace(events=()), Trace(events=())).is_same
