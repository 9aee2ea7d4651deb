"""A loss of which the mean over the processes is not that of the whole batch is named, with the reason."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted


def said(loss: str, before: str = "pass", more: str = "") -> list[str]:
    """What is said of the losses of a small training script."""
    text = f"""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

{more}
def main():
    model = nn.Linear(2, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss({"ignore_index=0" if "criterion" in loss else ""})
    loader = DataLoader(data, 4)
    for epoch in range(3):
        for x, y in loader:
            out = model(x.cuda())
            {before}
            loss = {loss}
            loss.backward()

main()
"""
    about = (
        "NPU427.summed",
        "NPU427.pairs",
        "NPU427.counted",
        "NPU427.together",
        "NPU427.second",
        "NPU427.kept",
    )
    return [item for item in converted(text).left if item in about]


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("F.mse_loss(out, y, reduction='sum')", "summed"),
        ("0.1 * (out - y).pow(2).sum() + out.mean()", "summed"),
        ("torch.sum((out - y) ** 2)", "summed"),
        ("nn.MSELoss(reduction='sum')(out, y) / 8", "summed"),
        ("F.cross_entropy(out @ out.t(), y)", "pairs"),
        ("torch.mm(out, out.T).logsumexp(1).mean()", "pairs"),
        ("torch.cdist(out, out).mean()", "pairs"),
        ("torch.einsum('nd,md->nm', out, out).mean()", "pairs"),
        ("(out * y).sum() / y.sum().clamp(min=1)", "counted"),
        ("criterion(out, y)", "counted"),
        ("F.cross_entropy(out, y, weight=weights)", "counted"),
        ("F.cross_entropy(out[y > 0], y[y > 0])", "together"),
        ("out.std(dim=0).mean()", "together"),
        ("F.mse_loss(out[torch.randperm(len(out))], out)", "pairs"),
        ("F.cross_entropy(out, y, reduction='none').topk(3).values.mean()", "together"),
        ("torch.sqrt(F.mse_loss(out, y))", "together"),
    ],
)
def test_of_a_batch_as_a_whole(loss: str, kind: str) -> None:
    assert said(loss) == [f"NPU427.{kind}"]


@pytest.mark.parametrize(
    "loss",
    [
        "F.mse_loss(out, y)",
        "F.cross_entropy(out, y, label_smoothing=0.1)",
        "(out - y).pow(2).sum() / len(x)",
        "(out - y).pow(2).sum(dim=1).mean()",
        "F.kl_div(out.log_softmax(1), y, reduction='batchmean')",
        "F.mse_loss(out @ model.weight.t(), y)",
        "(out / out.sum(1, keepdim=True)).mean()",
        "out.topk(2, dim=1).values.mean() + out[0].mean() + out[:, 1].mean()",
        "torch.sqrt(out.pow(2) + 1).mean()",
    ],
)
def test_of_items_is_the_mean_of_the_shares(loss: str) -> None:
    assert said(loss) == []


def test_of_what_earlier_batches_left_is_not_that_of_a_single_process() -> None:
    loss = "F.cross_entropy(out @ queue, y)"
    assert said(loss, "queue[:, start:end] = out.detach().T") == ["NPU427.kept"]
    assert said("F.mse_loss(out, y)", "out[:, 0] = 0") == []
    fresh = "seen = x.clone(); seen[:, ::3] = 1; out = model(seen)"
    assert said("F.mse_loss(out, y)", fresh) == []
    assert said("F.mse_loss(out, y)", "_, best = out.topk(1); y = best") == []
    steps = "def steps(v):\n    all = torch.zeros(9)\n    all[:, 1:] = v\n    return all.mean()\n"
    assert said("steps(out)", more=steps) == []
    queue = steps.replace("    all = torch.zeros(9)\n", "").replace("(v)", "(v, all)")
    assert said("steps(out, queue)", more=queue) == ["NPU427.kept"]
    kept = "rows.append(out.detach()); past = torch.stack(list(rows)).mean()"
    assert said("F.mse_loss(out, past)", kept) == ["NPU427.kept"]
    assert said("F.mse_loss(out, past)", f"rows = []; {kept}") == []


def test_what_is_computed_before_the_loops_is_of_no_batch() -> None:
    text = "F.mse_loss(out, y) / spread"
    assert said(text, "spread = out.var()") == ["NPU427.together"]
    assert said(text, more="spread = data.var()") == []


def test_is_followed_into_functions_and_modules_of_the_program() -> None:
    more = """
def added(out, y):
    error = F.mse_loss(out, y, reduction="sum")
    return error + out.mean()
class Pairs(nn.Module):
    def forward(self, out):
        return F.cross_entropy(out @ out.t(), torch.arange(len(out)))
pairs = Pairs()
"""
    assert said("added(out, y) * 0.5", more=more) == ["NPU427.summed"]
    assert said("F.mse_loss(out, y) + pairs(out)", more=more) == ["NPU427.pairs"]


@pytest.mark.parametrize(
    ("before", "is_said"),
    [
        ("out.mean().backward(retain_graph=True)", True),
        ("model(x).mean().backward()", True),
        ("out.mean().backward(); out = model(x)", False),
        ("F.mse_loss(out.detach() * scale, y).backward()", False),
        ("loss = out.mean(); loss.backward(); out = other(x)", False),
    ],
)
def test_a_second_backward_after_one_call_of_the_model(before: str, is_said: bool) -> None:
    assert (said("out.pow(2).mean()", before) == ["NPU427.second"]) is is_said


def test_items_that_a_shuffled_batch_mixes_are_pairs() -> None:
    mixed = "order = np.random.permutation(4)\n            out = model(0.5 * x + 0.5 * x[order])"
    assert said("F.mse_loss(out, y)", mixed) == ["NPU427.pairs"]


def test_a_second_backward_that_calls_the_model_itself_is_one_of_its_own() -> None:
    before = "F.mse_loss(model(x), y).backward()\n            optimizer.zero_grad()"
    assert said("F.mse_loss(model(x), y)", before) == []
