"""Names of ``torch.cuda`` that become those of ``torch.accelerator``: with or without a question before."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

NEUTRAL = {"target": "accelerator", "version": "2.9.0"}
HAS_ONE = "torch.accelerator.is_available()"


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [
        (
            "torch.cuda.synchronize()\n",
            f"if {HAS_ONE}:\n    torch.accelerator.synchronize()\n",
            "renamed safe",
        ),
        (
            f"if {HAS_ONE}:\n    f = torch.cuda.synchronize\n",
            f"if {HAS_ONE}:\n    f = torch.accelerator.synchronize\n",
            "renamed safe",
        ),
        ("f = torch.cuda.synchronize\n", "f = torch.accelerator.synchronize\n", "renamed_perhaps unsafe"),
    ],
)
def test_what_needs_an_accelerator_is_safe_where_one_is_asked_for(before: str, after: str, key: str) -> None:
    text = f"import torch\n{before}"
    assert said("ACC101", text, **NEUTRAL) == [f"{key} warning: torch.cuda.synchronize"]
    assert fixed("ACC101", text, **NEUTRAL) == f"import torch\n{after}"
