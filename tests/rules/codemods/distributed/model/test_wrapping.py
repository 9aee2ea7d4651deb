"""What is trained beside the wrapped model: its gradients differ in each process, unless somebody acts."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.rules.codemods.distributed.conversion import errors, script

MADE = """nn.Linear(2, 1).cuda()
    scale = nn.Parameter(torch.ones(1, device="cuda"))
    w = torch.zeros(1, requires_grad=True)
    other = nn.Linear(1, 1)
    params = [w]
    nets = [nn.Linear(1, 1)]
    tensors = {"w": torch.zeros(1, requires_grad=True), "size": 3}
"""
MAKERS = """def made(net):
    return torch.optim.SGD(net.parameters(), lr=0.1)
def again(net):
    return made(net)
def of_values(given):
    return torch.optim.SGD(given.values(), lr=0.1)
"""
PLAIN = "torch.optim.SGD(model.parameters(), lr=0.1)"


def said(optimizer: str) -> list[str]:
    """The errors of a script with an optimizer of its own."""
    text = MAKERS + script().replace("nn.Linear(2, 1).cuda()\n", MADE).replace(PLAIN, optimizer)
    return [item for item in errors(text) if item.startswith("NPU423")]


@pytest.mark.parametrize(
    ("optimizer", "found"),
    [
        ("torch.optim.SGD([*model.parameters(), scale], lr=0.1)", ["NPU423.tensor"]),
        ("torch.optim.SGD(list(model.parameters()) + [scale], lr=0.1)", ["NPU423.tensor"]),
        ("torch.optim.SGD([w], lr=0.1)", ["NPU423.tensor"]),
        ("torch.optim.SGD(params, lr=0.1)", ["NPU423.tensor"]),
        ("torch.optim.SGD([{'params': model.parameters()}, {'params': scale}])", ["NPU423.tensor"]),
        (f"{PLAIN}\n    optimizer.add_param_group({{'params': [w]}})", ["NPU423.tensor"]),
        (f"{PLAIN}\n    optimizer.add_param_group({{'params': other.parameters()}})", ["NPU423.other"]),
        ("[torch.optim.SGD(n.parameters()) for n in [model, other]][0]", ["NPU423.other"]),
        ("[torch.optim.SGD(n.parameters()) for n in nets][0]", ["NPU423.tensor"]),
        ("[torch.optim.SGD(n.parameters()) for n in [model]][0]", []),
        ("[*(torch.optim.SGD(n.parameters()) for n in (model, other))][0]", ["NPU423.other"]),
        (
            "{k: torch.optim.SGD(n.parameters()) for k, n in {'a': model, 'b': other}.items()}['a']",
            ["NPU423.other"],
        ),
        ("made(model)\n    rest = made(other)", ["NPU423.other"]),
        ("again(model)\n    rest = again(net=other)", ["NPU423.other"]),
        ("map(lambda n: torch.optim.SGD(n.parameters(), lr=0.1), (model, other))", ["NPU423.other"]),
        ("map(made, [model, other])", ["NPU423.other"]),
        ("torch.optim.SGD(tensors.values(), lr=0.1)", ["NPU423.tensor"]),
        ("torch.optim.SGD([*model.parameters(), *tensors.values()])", ["NPU423.tensor"]),
        ("of_values(tensors)", ["NPU423.tensor"]),
        ("map(made, [model])", []),
        ("made(model)", []),
        ("made(torch.compile(model))", []),
        ("made(torch.compile(other))", ["NPU423.tensor"]),
        ("made(model.to('cuda').train())", []),
        ("[torch.optim.SGD(n.parameters()) for n in [model.cuda()]][0]", []),
        (PLAIN, []),
        ("torch.optim.SGD([model.weight, model.bias])", []),
        ("torch.optim.SGD([{'params': model.parameters(), 'lr': rate}])", []),
    ],
)
def test_what_an_optimizer_trains_beside_the_model_is_said(optimizer: str, found: list[str]) -> None:
    assert said(optimizer) == found


def test_a_model_that_a_class_hands_to_its_base_is_the_same() -> None:
    text = dedent(
        """\
        import torch
        from torch import nn
        class Base:
            def __init__(self, model, optimizer):
                self.model = model.cuda()
                self.optimizer = optimizer
        class Trainer(Base):
            def __init__(self, loader, net, optimizer):
                super().__init__(net, optimizer=optimizer)
                self.loader = loader
            def train(self):
                for x, y in self.loader:
                    self.model(x).sum().backward()
                    self.optimizer.step()
        def main():
            model, head = nn.Linear(2, 1), nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters())
            Trainer(loader, model, optimizer).train()
        main()
        """
    )
    assert "NPU423.other" not in errors(text, "self.model")
    assert "NPU423.other" in errors(text.replace("SGD(model", "SGD(head"), "self.model")


@pytest.mark.parametrize(("maker", "is_said"), [("model", False), ("head", True)])
def test_a_model_that_makes_the_optimizer_of_its_parts_trains_itself(maker: str, is_said: bool) -> None:
    net = (
        "class {}(nn.Module):\n    def __init__(self):\n        self.last = nn.Linear(2, 1)\n"
        "    def optimizer(self):\n        return torch.optim.SGD(self.last.parameters(), lr=0.1)\n"
    )
    text = script().replace("model = nn.Linear(2, 1).cuda()", "model, head = Net().cuda(), Head()")
    text = net.format("Net" if maker == "model" else "Head") + text.replace(PLAIN, f"{maker}.optimizer()")
    assert ("NPU423.other" in errors(text)) is is_said


def test_another_model_of_the_same_name_needs_a_name_of_its_own() -> None:
    inner = (
        "    def other():\n        model = nn.Linear(3, 1)\n        o = torch.optim.SGD(model.parameters())\n"
    )
    assert errors(script(body=inner)) == ["NPU423.namesake"]
