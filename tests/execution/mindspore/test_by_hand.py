"""What MS002 says is to be written by hand does in MindSpore what PyTorch does."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from .both import texts
from .by_hand import SAMPLES
from .needs import needs_mindspore
from .test_differences import differing
from .test_verified_rows import answer

pytestmark = needs_mindspore


@cache
def ran() -> Any:
    return answer("by_hand")


@pytest.mark.parametrize("name", texts(SAMPLES))
def test_what_is_to_be_written_by_hand_does_the_same(name: str) -> None:
    found = ran()[name]
    assert list(differing(found["torch"], found["mindspore"])) == []
    assert list(differing(found["torch"], "another"))
