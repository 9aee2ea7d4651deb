"""Texts behind ``*given``, whose position in a call is not known: the callee decides where it can."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

IMPORTS = "import logging, os, torch\nimport torch.distributed as dist\n"


def codes(text: str, version: str = "2.8.0") -> list[str]:
    found = check(SourceFile(IMPORTS + text), options_from({"version": version}))
    return [f"{item.code} {item.applicability.value}" for item in found]


@pytest.mark.parametrize("text", ["'cuda'", "'nccl'"])
@pytest.mark.parametrize(
    "code",
    [
        "print(*given, {})",
        "logging.info(*given, {})",
        "path = os.path.join(*given, {}, name)",
        "raise ValueError(*given, {})",
        "raise MyError(*given, [{}])",
    ],
)
def test_what_takes_no_such_text_takes_none_behind_a_star(code: str, text: str) -> None:
    unsure = {"'cuda'": "NPU201 unsafe", "'nccl'": "NPU401 unsafe"}[text]
    assert codes(f"start(*given, {text})\n{code.format(text)}\n") == [unsure], "of the first call alone"


def test_a_variable_of_the_environment_is_shown_behind_a_star() -> None:
    name = "'CUDA_VISIBLE_DEVICES'"
    assert codes(f"print(*given, {name}, x)\nstart(*given, {name})\n") == ["NPU901 unsafe"]


@pytest.mark.parametrize(
    ("version", "function", "rule"),
    [("1.11.0", "torch.autocast", "NPU302"), ("2.1.0", "torch.amp.GradScaler", "NPU303")],
)
def test_a_text_of_a_call_that_does_not_know_the_npu_yet_is_not_rewritten(
    version: str, function: str, rule: str
) -> None:
    """That rule says what to do with the call; in later versions the text is one of a device."""
    assert codes(f"a = {function}(*given, 'cuda')\n", version) == [f"{rule} manual"]
    assert "NPU201 unsafe" in codes(f"a = {function}(*given, 'cuda')\n")


@pytest.mark.parametrize("names", ["'--device'", "*flags, '--device'", "'-d', *flags, '--device'"])
def test_the_names_of_an_option_are_read_behind_a_star(names: str) -> None:
    text = "import torch_npu\np.add_argument({}, default='{}')\nmodel.to(p.parse_args().device)\n"
    assert migrated("import torch\n" + text.format(names, "cuda")) == "import torch\n" + text.format(
        names, "npu"
    )
