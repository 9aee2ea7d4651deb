"""Code that a script gives to Python as a text."""

from __future__ import annotations

from gpu2ascend_rules.check import check
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def test_code_that_is_not_python_is_reported_and_stays() -> None:
    script = kind_file("train.sh", 'N=$(python -c "import torch!; print(torch.cuda.device_count())")\n')
    assert script is not None
    (finding,) = check(script, OPTIONS)
    assert (finding.code, finding.fix) == ("NPU1010", None)


def test_a_message_on_the_code_names_one_rule_only() -> None:
    script = kind_file("train.sh", 'python -c "import torch; print(torch.cuda.device_count())"\n')
    assert script is not None
    (finding,) = check(script, OPTIONS)
    assert finding.code == "NPU1010"
    assert "NPU101" not in render(finding.message)
