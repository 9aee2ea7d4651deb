"""Advice is rare: at most one in fifty lines of a real package, and no count knows of it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.realworld.packages import PACKAGES, Package, unpacked

pytestmark = [pytest.mark.slow, pytest.mark.network]

LINES_FOR_ONE = 50
ADVICE_ALONE = options_from({"version": "2.8.0", "select": ["ADV"]})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_at_most_one_in_fifty_lines_is_advice(package: Package) -> None:
    lines = places = 0
    for path in sorted(unpacked(package).rglob("*.py")):
        data = path.read_bytes()
        lines += data.count(b"\n")
        places += len(check(SourceFile(data.decode("utf-8", "replace"), path.name), ADVICE_ALONE))
    assert places * LINES_FOR_ONE <= lines


def test_a_package_has_some() -> None:
    """The control."""
    text = "import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n    n = loss.item()\n"
    assert [item.code for item in check(SourceFile(text, "a.py"), ADVICE_ALONE)] == ["ADV103"]
