"""Scripts that name no device move to the NPU as a whole, or stay with a reason."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.codemods.amp.refactoring import AmpRefactoring, amp_fix, offers_amp
from gpu2ascend_rules.codemods.codemod import Declined
from gpu2ascend_rules.codemods.from_cpu.on_request import FromCpu
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import torch\nimport torch.nn as nn\n"
MODEL = "net = nn.Linear(2, 1)\nloss_of = nn.MSELoss()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
STEP = "    loss = loss_of(net(x), y)\n    loss.backward()\n    opt.step()\n"
SCRIPT = f"{HEAD}{MODEL}for x, y in loader:\n{STEP}"


def moved(text: str, version: str = "2.8.0") -> str:
    change = FromCpu().apply(SourceFile(text), options_from({"version": version, "from_cpu": True}))
    assert change is not None
    return change.text


def reason(text: str) -> str:
    change = FromCpu().apply(SourceFile(text), options_from({"version": "2.8.0", "from_cpu": True}))
    assert change is not None and change.text == text
    (finding,) = change.findings
    return dict(finding.message.arguments)["reason"].id  # type: ignore[union-attr]


def test_model_loss_and_batches_move() -> None:
    assert moved(SCRIPT) == (
        "import torch\nimport torch_npu\nimport torch.nn as nn\n\n"
        'device = torch.device("npu" if torch_npu.npu.is_available() else "cpu")\n'
        "net = nn.Linear(2, 1).to(device)\nloss_of = nn.MSELoss().to(device)\n"
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for x, y in loader:\n    x, y = x.to(device), y.to(device)\n" + STEP
    )


def test_a_name_like_inputs_is_no_device() -> None:
    assert "inputs, y = inputs.to(device)" in moved(SCRIPT.replace("x", "inputs"))


def test_1_5_0_has_the_npu_in_torch_itself() -> None:
    assert "torch.npu.is_available()" in moved(SCRIPT, "1.5.0")
    assert "torch_npu" not in moved(SCRIPT, "1.5.0")


@pytest.mark.parametrize(
    ("loop", "first"),
    [
        ("for i, (x, y) in enumerate(loader):\n", "    x, y = x.to(device), y.to(device)\n"),
        ("for i, (x, y) in enumerate(tqdm(loader), 1):\n", "    x, y = x.to(device), y.to(device)\n"),
        ("for (x, y) in loader:\n", "    x, y = x.to(device), y.to(device)\n"),
    ],
)
def test_loops_in_other_words(loop: str, first: str) -> None:
    assert loop + first in moved(f"{HEAD}{MODEL}{loop}{STEP}")


def test_a_batch_that_is_taken_apart_first() -> None:
    text = f"{HEAD}{MODEL}for batch in loader:\n    x, y = batch\n{STEP}"
    assert "    x, y = batch\n    x, y = x.to(device), y.to(device)\n" in moved(text)


def test_what_numpy_reads_goes_back_to_the_cpu() -> None:
    text = SCRIPT + "    print(net(x).detach().numpy())\n"
    assert "net(x).detach().cpu().numpy()" in moved(text)


def test_functions_that_get_the_model_by_another_name() -> None:
    text = (
        f"{HEAD}def run(model, data):\n    for x, y in data:\n        loss = (model(x) - y).sum()\n"
        "        loss.backward()\n        opt.step()\n"
        "net = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nrun(net, loader)\n"
    )
    assert "        x, y = x.to(device), y.to(device)\n" in moved(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{HEAD}{MODEL}for batch in loader:\n    x, y = batch['x'], batch['y']\n{STEP}", "from-cpu.batch"),
        (f"{HEAD}{MODEL}x, y = load()\nfor i in range(9):\n{STEP}", "from-cpu.loop"),
        (f"{HEAD}{MODEL}for x, y in loader:\n    x = x + torch.randn(2)\n{STEP}", "from-cpu.factory"),
        (f"import torch.nn as nn\nimport torch.optim\n{MODEL}for x, y in loader:\n{STEP}", "from-cpu.import"),
        (SCRIPT.replace("net.parameters()", "self.net.parameters()"), "from-cpu.model"),
        (SCRIPT.replace("net = nn.Linear(2, 1)\n", "if a:\n    net = f()\nelse:\n    net = g()\n"),
         "from-cpu.model"),
        (SCRIPT.replace("net = nn", "class N(nn.Module):\n    def forward(self, x):\n"
                        "        return x + torch.zeros(2)\nnet = nn"), "from-cpu.factory"),
    ],
)  # fmt: skip
def test_what_is_uncertain_stays_with_a_reason(text: str, expected: str) -> None:
    assert reason(text) == expected


@pytest.mark.parametrize("line", ["x.to(place)\n", "device = None\n", "x.cuda()\n", "import accelerate\n"])
def test_a_script_that_names_a_device_is_none(line: str) -> None:
    source = SourceFile(SCRIPT + line)
    assert FromCpu().apply(source, options_from({"version": "2.8.0", "from_cpu": True})) is None
    assert "NPU214" not in [item.code for item in check(source, options_from({"version": "2.8.0"}))]


@pytest.mark.parametrize(
    "optimizer",
    [
        "torch.optim.Adam(net.parameters())",
        "optim.SGD(filter(trains, net.parameters()))",
        "AdamW([{'params': net.parameters()}])",
        "Lion(list(net.parameters()))",
        "getattr(torch.optim, name)(net.parameters())",
    ],
)
def test_a_script_that_makes_its_optimizer_is_reported(optimizer: str) -> None:
    source = SourceFile(f"import torch\nopt = {optimizer}\nloss.backward()\nopt.step()\n")
    assert "NPU214" in [item.code for item in check(source, options_from({"version": "2.8.0"}))]


@pytest.mark.parametrize(
    "text",
    [
        "scaler.scale(loss).backward()\nscaler.step(opt)\n",
        'def run(net, opt, x):\n    """With ``opt = optim.SGD(net.parameters())``."""\n'
        "    # opt = optim.Adam(net.parameters())\n    net(x).backward()\n    opt.step()\n",
        "def run(net, optim, x):\n    net(x).backward()\n    optim.step()\n",
        "def run(net, opt: torch.optim.Optimizer):\n    net().backward()\n    clip(net.parameters())\n"
        "    opt.step()\n",
    ],
)
def test_code_that_is_given_its_optimizer_is_no_script(text: str) -> None:
    source = SourceFile(f"import torch\n{text}")
    assert "NPU214" not in [item.code for item in check(source, options_from({"version": "2.8.0"}))]


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0", str(NEWEST)])
def test_the_finding_says_once_that_nothing_moves(version: str) -> None:
    source = SourceFile(SCRIPT + "loss.backward()\n")
    found = check(source, options_from({"version": version, "select": ["NPU214"]}))
    assert [item.message.id for item in found] == ["NPU214.none"]


def test_the_editor_offers_and_makes_the_same() -> None:
    source, options = SourceFile(SCRIPT), options_from({"version": "2.8.0"})
    assert AmpRefactoring.FROM_CPU in list(offers_amp(source, options))
    edits = edits_of(source, amp_fix(source, AmpRefactoring.FROM_CPU, options))
    assert any("torch.device(" in edit.text for edit in edits)
    with pytest.raises(Declined):
        amp_fix(SourceFile(f"{HEAD}{MODEL}x = 1\n"), AmpRefactoring.FROM_CPU, options)
