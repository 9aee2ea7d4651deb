"""Every training step averages its gradients over the processes."""

from __future__ import annotations

from ..converting import converted, is_refused_step

STEP = "\n        ".join(
    ("", "optimizer.zero_grad()", "loss = model(x).sum()", "loss.backward()", "optimizer.step()", "")
).rstrip(" ")
LOOP = (
    f"import torch\n\n\ndef train(model, batches, optimizer):\n    model.train()\n    for x in batches:{STEP}"
)


def test_in_a_loop_a_reducer_is_made_before_it() -> None:
    text = converted(LOOP, distributed=True).text
    assert text.endswith(
        "    model.set_train()\n    optimizer_reducer = None\n    if mint.distributed.is_initialized():\n"
        "        optimizer_reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)\n"
        "    for x in batches:\n        def compute_loss():\n            loss = model(x).sum()\n"
        "            return loss\n"
        "        loss, gradients = like_torch.value_and_grad(compute_loss, None, optimizer.parameters)()\n"
        "        if optimizer_reducer is not None:\n            gradients = optimizer_reducer(gradients)\n"
        "        like_torch.update(optimizer, gradients)\n"
    )


def test_a_single_process_averages_nothing() -> None:
    assert "reducer" not in converted(LOOP).text


def test_a_reducer_is_made_where_its_optimizer_is_there() -> None:
    text = (
        "import torch\nfrom torch import nn\n\nfor fold in range(2):\n    model = nn.Linear(2, 1)\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n    model.train()\n"
        f"    for x in batches:{STEP}"
    )
    lines = converted(text, distributed=True).text.splitlines()
    made = next(index for index, line in enumerate(lines) if "optimizer = optim.SGD" in line)
    assert lines.index("    optimizer_reducer = None") > made


def test_a_step_without_a_loop_averages_each_gradient() -> None:
    text = (
        "import torch\n\n\nclass Trainer:\n    def __init__(self):\n"
        "        self.model = torch.nn.Linear(2, 1)\n"
        "        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)\n\n"
        "    def step(self, x):\n        self.model.train()\n        self.optimizer.zero_grad()\n"
        "        loss = self.model(x).sum()\n        loss.backward()\n        self.optimizer.step()\n"
    )
    made = converted(text, distributed=True).text
    assert "ops.AllReduce()(one) / mint.distributed.get_world_size() for one in gradients" in made


def test_a_name_that_the_file_uses_keeps_it() -> None:
    text = f"{LOOP}\n\noptimizer_reducer = 3\n"
    assert is_refused_step(converted(text, distributed=True))
