"""What is counted is what was trained: steps by their backward passes, files however they are run."""

from __future__ import annotations

import pytest

from tests.server.verify.conftest import Verified

pytestmark = pytest.mark.execution

LOOP = """\
import torch
import torch_npu

{before}
model = torch.nn.Linear(4, 2).npu()
other = torch.nn.Linear(4, 2).npu()
{optimizers}
for number in range(6):
    {step}
"""
WRAPPER = """\
class Wrapper(torch.optim.Optimizer):
    def __init__(self, inner):
        super().__init__(inner.param_groups, inner.defaults)
        self.inner = inner

    def step(self, closure=None):
        self.inner.step()
"""
PLAIN = (
    "optimizers = [torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(other.parameters(), lr=0.1)]"
)
WRAPPED = "optimizers = [Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))]"
TOGETHER = """(model(torch.ones(8, 4).npu()) + other(torch.ones(8, 4).npu())).sum().backward()
    [optimizer.step() for optimizer in optimizers]"""
APART = """for part, optimizer in zip((model, other), optimizers):
        part(torch.ones(8, 4).npu()).sum().backward()
        optimizer.step()"""
BY_ENGINE = """loss = model(torch.ones(8, 4).npu()).sum()
    torch.autograd.Variable._execution_engine.run_backward(
        (loss,), (torch.ones_like(loss),), False, False, (), True, accumulate_grad=True)
    optimizers[0].step()"""


@pytest.mark.parametrize(
    ("before", "optimizers", "step", "made"),
    [
        pytest.param(WRAPPER, WRAPPED, TOGETHER, 6, id="an optimizer in another one"),
        pytest.param("", PLAIN, TOGETHER, 6, id="two optimizers after one pass"),
        pytest.param("", PLAIN, APART, 12, id="two optimizers after a pass each"),
        pytest.param("", PLAIN, BY_ENGINE, 6, id="a pass that the program asks the engine for"),
        pytest.param("", PLAIN, "optimizers[0].step()", 0, id="no pass at all"),
    ],
)
def test_a_step_is_one_for_a_backward_pass(
    verified: Verified, before: str, optimizers: str, step: str, made: int
) -> None:
    script = LOOP.format(before=before, optimizers=optimizers, step=step)
    result = verified({"train.py": script}, steps=20)
    assert (result.steps, result.failure) == (made, None)


RUN = """\
import runpy
import torch
import torch_npu

steps = 1
exec(open("settings.py").read())
runpy.run_path("parts/loop.py", {"steps": steps})
"""
SETTINGS = """\
def doubled(number):
    return 2 * number


steps = doubled(steps)
if steps > 9:
    steps = 9
"""
LOADED = """\
model = torch.nn.Linear(4, 2).npu()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(steps):
    model(torch.ones(8, 4).npu()).sum().backward()
    optimizer.step()
"""


def test_files_run_as_a_text_or_by_their_path_are_loaded(verified: Verified) -> None:
    loop = f"import torch\n\n{LOADED}"
    result = verified({"train.py": RUN, "settings.py": SETTINGS, "parts/loop.py": loop}, steps=2)
    assert (result.exit_code, result.not_loaded) == (0, ())
    missed = {file.path: file.missed for file in result.coverage}
    assert missed["settings.py"] == (7,)
