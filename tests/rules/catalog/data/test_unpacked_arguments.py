"""Arguments of data loaders that a dictionary brings."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.1.0"})
HEAD = "from torch.utils.data import DataLoader\n"


def migrated(text: str) -> str:
    return apply_fixes(SourceFile(text), OPTIONS).text


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("kw = {'pin_memory': True}\n", id="made with it"),
        pytest.param("kw = dict(pin_memory=True)\n", id="made by a call"),
        pytest.param("kw = {}\nkw.update(pin_memory=True)\n", id="updated"),
        pytest.param("kw = {}\nkw |= {'pin_memory': True}\n", id="updated by an operator"),
    ],
)
def test_a_dictionary_that_is_unpacked_into_a_loader_gets_the_device(made: str) -> None:
    assert "pin_memory_device" in migrated(f"{HEAD}{made}l = DataLoader(d, **kw)\n")
    other = f"{HEAD}{made}l = make(d, **kw)\n"
    assert migrated(other) == other


@pytest.mark.parametrize(
    "use",
    [
        "other = kw | {'pin_memory': True}\n",
        "if kw == {'pin_memory': True}:\n    print(kw)\n",
        "print(kw or {'pin_memory': True})\n",
    ],
)
def test_a_dictionary_beside_one_that_is_unpacked_is_another(use: str) -> None:
    text = f"{HEAD}kw = {{'pin_memory': True}}\nl = DataLoader(d, **kw)\n"
    made = migrated(text + use)
    assert made.count("pin_memory_device") == 1 and made.endswith(use)
