"""One more entry is written only behind an entry; a text that makes entries is renamed."""

from __future__ import annotations

import ast

import attrs
import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = attrs.evolve(options_from({"version": "2.8.0"}), unsafe_fixes=True)
TEXTS = ["f'W:{i}'", "'W:%d' % i", "'W:' + str(i)", "('W')", "'W' if i else 'cpu'"]
DISPLAYS = [
    "[TEXT for i in range(2)]",
    "{TEXT for i in range(2)}",
    "(TEXT for i in range(2))",
    "{TEXT: i for i in range(2)}",
    "[TEXT for i in range(2)] + ['cpu']",
    "['cpu', *(TEXT for i in range(2))]",
]


def device_test(display: str, text: str, word: str) -> str:
    return f"ok = x.device.type in {display.replace('TEXT', text.replace('W', word))}\n"


def fixed(text: str) -> str:
    return apply_fixes(SourceFile("import torch\n" + text), OPTIONS).text.removeprefix("import torch\n")


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("text", TEXTS)
def test_what_makes_entries_is_followed_by_none(display: str, text: str) -> None:
    made = fixed(device_test(display, text, "cuda")).removeprefix("import torch_npu\n")
    ast.parse(made)
    assert made in (device_test(display, text, "npu"), device_test(display, text, "cuda"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("d.type in [f'cuda:{i}' for i in n]", "d.type in [f'npu:{i}' for i in n]", id="list"),
        pytest.param("d.type in {f'cuda:{i}' for i in n}", "d.type in {f'npu:{i}' for i in n}", id="set"),
        pytest.param(
            "d.type in (f'cuda:{i}' for i in n)", "d.type in (f'npu:{i}' for i in n)", id="generator"
        ),
        pytest.param(
            "d.type in {f'cuda:{i}': 0 for i in n}", "d.type in {f'npu:{i}': 0 for i in n}", id="keys"
        ),
        pytest.param("d.type in ['cuda:' + n, 'xpu']", "d.type in ['npu:' + n, 'xpu']", id="operand"),
        pytest.param("d.type in [('cuda'), 'xpu']", "d.type in [('npu'), 'xpu']", id="in brackets"),
        pytest.param(
            "d.type in ['cuda'] + ['xpu']", "d.type in ['cuda', 'npu'] + ['xpu']", id="entry of an operand"
        ),
        pytest.param(
            "dist.get_backend() in ['nccl' for _ in n]",
            "dist.get_backend() in ['hccl' for _ in n]",
            id="nccl",
        ),
        pytest.param(
            "parser.add_argument(('--local_rank'), type=int)",
            "parser.add_argument(('--local_rank'), '--local-rank', type=int, "
            "default=os.environ.get('LOCAL_RANK'))",
            id="an option's name in brackets",
        ),
    ],
)
def test_an_entry_gets_another_behind_it_and_what_makes_entries_is_renamed(before: str, after: str) -> None:
    assert (
        fixed(f"import torch.distributed as dist\nd = x.device\nok = {before}\n").splitlines()[-1]
        == f"ok = {after}"
    )
