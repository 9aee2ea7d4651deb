"""Tests that run MindSpore: skipped without it, but where it was asked for they fail."""

from __future__ import annotations

import importlib.util
import os

import pytest

_HAS_BOTH = all(importlib.util.find_spec(name) for name in ("mindspore", "torch", "numpy"))
_WAS_ASKED_FOR = "GPU2ASCEND_REQUIRE_MINDSPORE" in os.environ

needs_mindspore = [
    pytest.mark.mindspore,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (_HAS_BOTH or _WAS_ASKED_FOR),
        reason="MindSpore is not installed: `make test-mindspore` installs it",
    ),
]
