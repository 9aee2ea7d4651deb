"""Numbers that count the letters of a word change with it, and no others."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import torch\nimport torch_npu\n"
COUNTING = [
    ("if d.startswith('cuda'):\n    n = int(d[5:])\n", "if d.startswith('npu'):\n    n = int(d[4:])\n"),
    ("n = d[5:] if d.startswith('cuda:') else 0\n", "n = d[4:] if d.startswith('npu:') else 0\n"),
    ("if d.startswith('cuda:'):\n    n = int(d[5])\n", "if d.startswith('npu:'):\n    n = int(d[4])\n"),
    ("if d[0:4] == 'cuda':\n    pass\n", "if d[0:3] == 'npu':\n    pass\n"),
    (
        "if not d.startswith('cuda:'):\n    raise ValueError\nn = d[5:]\n",
        "if not d.startswith('npu:'):\n    raise ValueError\nn = d[4:]\n",
    ),
    ("n = int(d[5:])\n", "n = int(d[4:])\n"),
    ("n = int(args.device[5])\n", "n = int(args.device[4])\n"),
]
OTHERS = [
    "if d.startswith('{0}:'):\n    n = other[5:]\n",
    "if d.startswith('{0}:'):\n    n = d[2:]\n",
    "if d.startswith('{0}:'):\n    pass\nelif d.startswith('acce:'):\n    n = d[5:]\n",
    "if d == '{0}':\n    n = d[5:]\n",
    "n = int(path[5:])\n",
    "n = args.device[5:]\n",
]
GIVEN = "d = str(x.device)\n"


def migrated(text: str) -> str:
    return apply_fixes(SourceFile(HEAD + GIVEN + text), options_from({"version": "2.8.0"})).text


@pytest.mark.parametrize(("text", "new"), COUNTING)
def test_a_number_that_counts_the_word_is_counted_again(text: str, new: str) -> None:
    assert migrated(text) == HEAD + GIVEN + new
    assert migrated(new) == HEAD + GIVEN + new


@pytest.mark.parametrize("text", OTHERS)
def test_other_numbers_stay(text: str) -> None:
    assert migrated(text.format("cuda")) == HEAD + GIVEN + text.format("npu")
