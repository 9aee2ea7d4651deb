"""What the tests that run code on the simulated device need, or the reason why they cannot run here."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(scope="session", autouse=True)
def _torch() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
