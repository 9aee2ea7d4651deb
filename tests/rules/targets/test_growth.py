"""A check for each target, and with advice, grows no faster than the text, whatever is repeated in it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.security.test_growth import MOST, growth

pytestmark = pytest.mark.slow

ROUTES: dict[str, dict[str, object]] = {
    "any accelerator": {"target": "accelerator", "version": "2.8.0"},
    "MindSpore": {"target": "mindspore"},
    "transfer_to_npu": {"version": "2.8.0", "auto": True},
    "advice": {"version": "2.8.0", "advice": True},
}
HEAD = (
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
    "import torch.distributed as dist\nx = torch.ones(2)\n"
)
FUNCTION = f"{HEAD}def f(x):\n"
LAYER = "        self.a{i} = nn.Conv2d(2, 3, 3)\n        y = F.relu(self.a{i}(y))\n"
STEP = (
    "for a, b in loader:\n    net.train()\n    opt.zero_grad()\n"
    "    loss = F.cross_entropy(net(a.cuda()), b)\n    loss.backward()\n    opt.step()\n"
)


def _repeated(begin: str, part: str, end: str = "") -> Callable[[int], str]:
    return lambda n: begin + "".join(part.replace("{i}", str(i)) for i in range(n)) + end + "\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "findings in a block": _repeated(FUNCTION, "    x.cuda()\n"),
    "nesting": lambda n: f"{HEAD}y = {'[x.cuda(), ' * n}{']' * n}\n",
    "nesting of choices": _repeated(f"{HEAD}y = ", "x.cuda() if a else ", "x"),
    "length of a chain": _repeated(f"{HEAD}y = x", ".view(2, -1).cuda()"),
    "length of a chain that begins with nothing known": _repeated(f"{HEAD}y = foo", ".m{i}().cuda()"),
    "values of each other": lambda n: (
        FUNCTION
        + "    while x:\n"
        + "".join(f"        a{i} = a{(i + 1) % n} + a{(3 * i) % n}.cuda()\n" for i in range(n))
    ),
    "length of a line": _repeated(f"{HEAD}y = [", "torch.zeros(2, device='cuda'), ", "]"),
    "imports": _repeated("", "from torch.nn import Linear as L{i}\n", f"{HEAD}x.cuda()"),
    "steps of a training": _repeated(f"{HEAD}net = nn.Linear(2, 2)\n", STEP),
    "layers": _repeated(f"{HEAD}class N(nn.Module):\n    def forward(self, y):\n", LAYER),
    "values read in a loop": _repeated(
        f"{HEAD}def f(y):\n    for b in y:\n", "        s += b.sum().item()\n"
    ),
    "tensors that are reduced": _repeated(HEAD, "dist.all_reduce(x)\n"),
    "masks": _repeated(FUNCTION, "    y = x[x > 0]\n    x[x > 0] = 1\n"),
    "a variable that is set again": _repeated(FUNCTION, "    x = x.view(2, -1).relu()\n"),
    "updates in place": _repeated(FUNCTION, "    x += 1\n"),
    "loops over batches": _repeated(HEAD, "for a, b in loader:\n    print(a.view(1))\n"),
    "tests for a device": _repeated(FUNCTION, "    if x.device.type == 'cuda':\n        x.cuda()\n"),
    "weights in files": _repeated(f"{HEAD}net = nn.Linear(2, 2)\n", "torch.save(net.state_dict(), 'a')\n"),
}
SIZE = 40


@pytest.mark.one_in(4)
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_check_grows_with_the_text(shape: str, route: str) -> None:
    options = options_from(ROUTES[route])
    assert growth(lambda n: check(SourceFile(SHAPES[shape](n)), options), SIZE) <= MOST
