"""What takes the place of a package is the same whoever asks for it."""

from __future__ import annotations

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.reasons import answer_of


def test_a_package_for_cuda_is_not_replaced_by_the_one_that_imports_it() -> None:
    line = '  File "/opt/sglang/python/sglang/srt/layers/quantization/fp4.py", line 12, in <module>'
    (found,) = failures([line, "    import cutlass", "ModuleNotFoundError: No module named 'cutlass'"])

    assert answer_of(found).cause.arguments == (("root", "cutlass"),)
