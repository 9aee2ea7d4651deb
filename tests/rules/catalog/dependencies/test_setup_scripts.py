"""The lists that a setup script puts its requirements together of."""

from __future__ import annotations

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
