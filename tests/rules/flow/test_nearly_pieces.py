"""What is found in programs that nearly are those of :mod:`.test_variations`, as fingerprints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu2ascend_rules.options.options import options_from
from tests import fingerprints
from tests.fingerprints import Outcome, found
from tests.rules.flow.test_variations import HEAD, SAMPLES, SUBJECTS
from tests.rules.nearly import nearly

FINGERPRINTS = SAMPLES / "nearly"


def outcomes(subject: str) -> Iterator[Outcome]:
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    codes = (SAMPLES / f"{subject}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    for number, code in enumerate(codes):
        for name, text in nearly(f"{code}\n"):
            yield found(f"{number}.{name}", HEAD + text, "train.py", options)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_found_in_what_nearly_is_one_of_them(subject: str) -> None:
    fingerprints.agree(FINGERPRINTS / f"{subject}.txt", outcomes(subject))
