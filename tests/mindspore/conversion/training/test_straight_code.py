"""A step in straight-line code, whose model and optimizer are made beside it."""

from __future__ import annotations

from ..converting import converted


def test_an_optimizer_and_its_model_stay_before_the_function() -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.fc = nn.Linear(3, 1)\n\n    def forward(self, x):\n"
        "        return self.fc(x)\n\n\nnet = Net()\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "opt.zero_grad()\nloss = net(torch.ones(3)).sum()\nloss.backward()\nopt.step()\n"
    )
    assert "def compute_loss():\n    loss = net(ops.ones(3)).sum()\n    return loss\n" in converted(text).text
