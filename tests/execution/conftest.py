"""What the tests that run code on the stand-in need, or the reason why they cannot run here."""

from __future__ import annotations

import importlib.util
import os
import shutil

import pytest


@pytest.fixture(scope="session", autouse=True)
def _torch_and_compiler() -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    if shutil.which(os.environ.get("CXX", "g++")) is None:
        pytest.skip("no C++ compiler to build the stand-in with")
