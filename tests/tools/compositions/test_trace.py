"""Operators are noted while calls run on the CPU build of PyTorch."""

from __future__ import annotations

import pytest

from tools.compositions.__main__ import TABLE, table
from tools.compositions.helpers import helper_calls
from tools.compositions.trace import Call, compositions

pytestmark = pytest.mark.execution
torch = pytest.importorskip("torch")
SQUARE = torch.eye(2)


def test_only_what_reaches_a_kernel_of_a_device_counts() -> None:
    made_of = compositions([Call("svd", lambda: torch.linalg.svd(SQUARE))])["svd"]
    assert (made_of.always, made_of.sometimes) == ({"_linalg_svd"}, set())


def test_an_operator_that_hands_on_to_its_variant_with_out_counts() -> None:
    made_of = compositions([Call("f", lambda: torch.nan_to_num(SQUARE))])["f"]
    assert made_of.always == {"nan_to_num"}


def test_what_some_calls_reach_is_needed_sometimes() -> None:
    calls = [Call("f", lambda: torch.det(SQUARE)), Call("f", lambda: None)]
    made_of = compositions(calls)["f"]
    assert (made_of.always, made_of.sometimes) == (set(), {"_linalg_det"})


def test_a_call_that_fails_shows_nothing() -> None:
    def fail() -> None:
        raise ValueError

    assert compositions([Call("f", fail)]) == {}


def test_the_helpers_are_in_the_table_as_they_run_now() -> None:
    found = compositions(helper_calls())
    assert found
    rows = set(TABLE.read_text(encoding="utf-8").splitlines())
    names = {row.partition("\t")[0] for row in rows}
    assert set(found) <= names
    assert table(found).splitlines()[-1] in rows
