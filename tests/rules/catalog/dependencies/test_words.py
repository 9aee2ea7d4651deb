"""The words without which a list of dependencies is not parsed."""

from __future__ import annotations

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.packages.third_party import PACKAGE_WORDS, cuda_package


def test_every_package_that_is_treated_has_one_in_its_name() -> None:
    treated = [row["package"] for row in load_tsv("third_party") if row["treatment"]]
    assert len(treated) > 50 and cuda_package("cudnn") is not None
    words = PACKAGE_WORDS.split()
    assert [name for name in treated if not any(word in name for word in words)] == []
