"""What code shows of a file that it loads: whose it is, and what was saved in it."""

from __future__ import annotations

import pytest
from tree_sitter import Node

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers.loaded_files import is_kept_in_arrays, names_no_gpu
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of

HEAD = "import numpy as np\nimport torch\n"


def load_in(text: str) -> tuple[Node, Context]:
    """The call of ``torch.load`` behind all others, and what is known of its file."""
    ctx = Context(SourceFile(HEAD + text, "a.py"), options_from({"version": "2.8.0"}))
    *_, call = (
        node for node in nodes_in(ctx.source.root) if ctx.source.names.called_in(node) == "torch.load"
    )
    return call, ctx


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("data = torch.load(f)\nx = torch.from_numpy(data)\n", True),
        ("data = torch.load(f)\nm.set(data)\ndata = np.zeros(3)\nx = torch.from_numpy(data)\n", False),
        ("data = torch.load(f)\nif c:\n    data = np.zeros(3)\nx = torch.from_numpy(data)\n", True),
        ("seen = np.empty(9)\ndata = torch.load(f)\nseen[:3] = data[0]\n", True),
        ("seen = np.empty(9)\ndata = torch.load(f)\ndata = np.zeros(3)\nseen[:3] = data[0]\n", False),
        ("data = np.zeros(3)\nx = torch.from_numpy(data)\ndata = torch.load(f)\n", False),
    ],
)
def test_what_is_loaded_is_put_into_arrays_until_its_variable_is_bound_again(
    text: str, expected: bool
) -> None:
    assert is_kept_in_arrays(*load_in(text)) is expected


STEP = "    for x in data:\n        m(x).backward()\n"
LOAD = "    m.load_state_dict(torch.load(path))\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(STEP + "        torch.save(m.state_dict(), path)\n" + LOAD, True, id="saved"),
        pytest.param(STEP + "        stop(m, path)\n" + LOAD, True, id="handed over"),
        pytest.param(STEP + "        m.save_to(path=path)\n" + LOAD, True, id="handed over by name"),
        pytest.param(
            "    for epoch in range(9):\n        for x in data:\n            m(x).backward()\n"
            "        stop(m, path)\n" + LOAD,
            True,
            id="by the loop around",
        ),
        pytest.param(
            "    try:\n    " + STEP.replace("\n", "\n    ") + "        stop(m, path)\n"
            "    except KeyboardInterrupt:\n        pass\n" + LOAD,
            True,
            id="in a try",
        ),
        pytest.param(
            STEP + "        stop(m, folder)\n    path = folder + '/' + 'best.pth'\n" + LOAD, True, id="folder"
        ),
        pytest.param(
            STEP + "        torch.save(m, os.path.join(args.out, '1.pth'))\n"
            "    path = os.path.join(args.out, '1.pth')\n" + LOAD,
            True,
            id="the same text",
        ),
        pytest.param(
            STEP + "        stop(m, args.out)\n    path = f'{args.out}/best.pth'\n" + LOAD,
            True,
            id="folder of a formatted text",
        ),
        pytest.param(STEP + LOAD, False, id="nothing is written"),
        pytest.param(STEP + "        stop(m, other)\n" + LOAD, False, id="another file"),
        pytest.param(STEP + "        print('of', path)\n" + LOAD, False, id="shown"),
        pytest.param(STEP + "        teacher = torch.load(path)\n" + LOAD, False, id="read"),
        pytest.param(
            STEP + "        stop(m, path)\n    path = 'teacher.pth'\n" + LOAD, False, id="given another path"
        ),
        pytest.param(
            "    if not args.eval:\n        for x in data:\n            m(x).backward()\n"
            "            stop(m, path)\n" + LOAD,
            False,
            id="only if it trains",
        ),
        pytest.param(
            "    if args.train:\n        for x in data:\n            m(x).backward()\n"
            "            stop(m, path)\n    else:\n    " + LOAD,
            False,
            id="only if it does not train",
        ),
        pytest.param(
            "    if args.train:\n        for x in data:\n            m(x).backward()\n"
            "            stop(m, path)\n    " + LOAD,
            True,
            id="where it trains",
        ),
    ],
)
def test_a_file_is_of_this_run_where_a_loop_of_training_has_it_written(body: str, expected: bool) -> None:
    call, ctx = load_in(f"import os\ndef run(m, data, args, folder, path):\n{body}")
    assert names_no_gpu(call, arguments_of(call).at(0), ctx) is expected
