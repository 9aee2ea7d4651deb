"""Learning rates of groups of parameters, and those that schedulers give."""

from __future__ import annotations

import pytest

from ...converting import converted

HEAD = (
    "import torch\n\nnet = torch.nn.Linear(2, 2)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
    "scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)\n"
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("optimizer.param_groups[0]['lr'] = 0.5", "ops.assign(optimizer.param_groups[0]['lr'], 0.5)"),
        (
            "for group in optimizer.param_groups:\n    group['lr'] *= 0.5",
            "    ops.assign(group['lr'], group['lr'] * 0.5)",
        ),
        (
            "for i, g in enumerate(optimizer.param_groups):\n    g['lr'] = i + 1",
            "    ops.assign(g['lr'], i + 1)",
        ),
        ("rates = [g['lr'] for g in optimizer.param_groups]", "rates = [g['lr'].item() for g in"),
        ("rate = scheduler.get_last_lr()[0]", "rate = scheduler.get_last_lr()[0].item()"),
    ],
)
def test_a_rate_is_set_in_place_and_read_as_a_number(text: str, written: str) -> None:
    assert written in converted(f"{HEAD}{text}\n").text


def test_another_value_of_a_group_stays() -> None:
    text = "for group in optimizer.param_groups:\n    group['weight_decay'] = 0.5\n"
    assert converted(HEAD + text).text.endswith(text)


@pytest.mark.parametrize(
    "text",
    [
        "print(config['lr'])\n",
        "config['lr'] = 0.5\n",
        "for group in config:\n    group['lr'] = 0.5\n",
        "for group in optimizer.param_groups:\n    config['lr'] *= 0.5\n",
        "rates = [config['lr'] for group in optimizer.param_groups]\n",
    ],
)
def test_a_rate_of_anything_else_stays(text: str) -> None:
    """Beside one of a group, which does not."""
    other = "for g in optimizer.param_groups:\n    print(g['lr'])\n"
    done = converted(HEAD + other + text).text
    assert done.endswith(text) and "print(g['lr'].item())" in done


def test_a_schedule_of_the_projects_own_has_the_base_class_there() -> None:
    head = "import torch\n\n\nclass Own(torch.optim.lr_scheduler._LRScheduler):\n"
    text = f"{head}    def get_lr(self):\n        return self.base_lrs\n"
    assert "class Own(optim.lr_scheduler.LRScheduler):\n" in converted(text).text
