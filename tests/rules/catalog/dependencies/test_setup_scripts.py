"""The lists that a setup script puts its requirements together of."""

from __future__ import annotations

import time

import pytest

from tests.rules.catalog.saying import said

SETUP = "from setuptools import setup\n"
CALL = "setup(install_requires=needed)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"needed = ['flash-attn']\n{CALL}",
        f"needed = []\nneeded += ['flash-attn']\n{CALL}",
        f"needed = []\nneeded.append('flash-attn')\n{CALL}",
        f"needed = []\nneeded.extend(['flash-attn'])\n{CALL}",
        "def needed():\n    return ['flash-attn']\nsetup(install_requires=['numpy'] + needed())\n",
        "setup(install_requires=TABLE['install'] + ['flash-attn'])\n",
    ],
)
def test_are_read_wherever_they_stand(text: str) -> None:
    assert said("NPU1106", SETUP + text, "setup.py") == ["package manual error: 'flash-attn'"]


def test_of_an_extra_may_be_in_a_variable() -> None:
    text = f"{SETUP}FAST = ['flash-attn']\nsetup(extras_require={{'fast': FAST, 'all': ['numpy'] + FAST}})\n"
    assert "extra manual information: 'flash-attn'" in said("NPU1106", text, "setup.py")


def test_of_a_table_are_told_once_and_may_be_of_an_extra() -> None:
    table = "TABLE = ['flash-attn>=2', 'torch==1.9', 'numpy']\nby_name = {item: item for item in TABLE}\n"
    text = f"{SETUP}{table}setup(install_requires=[by_name['numpy']], extras_require=by_name)\n"
    found = said("NPU1106", text, "setup.py")
    assert found == ["extra manual information: 'flash-attn>=2'", "pinned manual error: 'torch==1.9'"]


def test_are_no_other_texts() -> None:
    text = f"{SETUP}NAMES = ['torch', 'gpu']\nsetup(install_requires=read('r.txt'), keywords=NAMES)\n"
    assert said("NPU1106", text, "setup.py") == []


def test_that_are_needed_and_of_an_extra_are_told_as_needed() -> None:
    text = (
        f"{SETUP}base = ['flash-attn']\nsetup(extras_require={{'all': base + []}}, install_requires=base)\n"
    )
    assert said("NPU1106", text, "setup.py") == ["package manual error: 'flash-attn'"]


@pytest.mark.parametrize(
    "text",
    [
        "def other():\n    needed = ['flash-attn']\ndef main():\n    needed = ['numpy']\n    " + CALL,
        "def f():\n    def g():\n        return ['flash-attn']\n    return []\nsetup(install_requires=f())\n",
    ],
)
def test_of_another_scope_are_not_read(text: str) -> None:
    assert said("NPU1106", SETUP + text, "setup.py") == []


def test_get_torch_npu_once_for_all_lists_together() -> None:
    text = f"{SETUP}needed = ['torch==2.8.0']\nneeded += ['torch-npu==2.8.0.post5']\n{CALL}"
    assert said("NPU1106", text, "setup.py") == []


def test_that_are_appended_one_by_one_get_no_second_text() -> None:
    text = f"{SETUP}needed = []\nneeded.append('torch==2.8.0')\n{CALL}"
    assert said("NPU1106", text, "setup.py") == ["pinned manual warning: 'torch==2.8.0'"]


def test_that_are_added_to_each_other_are_read_in_reasonable_time() -> None:
    started = time.process_time()
    text = f"{SETUP}needed = ['flash-attn']\nmore = []\n" + "needed += more\nmore += needed\n" * 100 + CALL
    assert said("NPU1106", text, "setup.py") == ["package manual error: 'flash-attn'"]
    assert time.process_time() - started < 5
