"""Which items a file saves in a checkpoint beside the options of its program."""

from __future__ import annotations

import pytest

from gpu2ascend.project.index.facts.saved_checkpoints import saved_checkpoints

_SAVE = "torch.save({{'net': net.state_dict(), 'step': 1, {}}}, path)\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_SAVE.format("'args': args"), ("saved:args,net,step",)),
        (_SAVE.format("\n    'opt': self.opt,\n"), ("saved:net,opt,step",)),
        (_SAVE.format("'args': args, 'last': {'lr': 1}"), ("saved:args,last,lr,net,step",)),
        (_SAVE.format("'args': vars(args)"), ()),
        (_SAVE.format("'args': args.__dict__"), ()),
        (_SAVE.format("'args': args").replace("torch.save", "show"), ()),
        ("run({'step': 1, 'config': config})\ntorch.save(net.state_dict(), path)\n", ()),
    ],
)
def test_the_items_of_a_checkpoint_with_options(code: str, expected: tuple[str, ...]) -> None:
    assert saved_checkpoints(code.encode()) == expected
