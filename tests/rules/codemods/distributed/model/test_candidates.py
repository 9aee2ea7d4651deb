"""The variables that a form proposes for the model."""

from __future__ import annotations

from textwrap import dedent

from gpu2ascend_rules.codemods.distributed.model.candidates import PROPOSED, model_candidates
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import Files


def candidates(entry: str, **modules: str) -> tuple[str, ...]:
    files = {"train.py": dedent(entry), **{f"{name}.py": dedent(text) for name, text in modules.items()}}
    options = options_from({"version": "2.8.0"})
    return model_candidates(SourceFile(files["train.py"], "train.py"), options, Files(files))


def test_what_is_trained_is_proposed_and_no_other_object() -> None:
    script = """
        import torch
        from torch import nn

        net = nn.Linear(2, 2).cuda()
        criterion = nn.MSELoss().cuda()
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net.train()
        optimizer.zero_grad()
    """
    assert candidates(script) == ("net",)


def test_a_model_of_an_unknown_library_is_known_by_what_is_called_on_it() -> None:
    script = "import timm\nmodel = timm.create_model('a')\nopt = make(model.parameters())\n"
    assert candidates(script) == ("model",)


def test_an_attribute_of_a_trainer_is_proposed_and_none_of_a_model() -> None:
    script = """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                self.head = nn.Linear(2, 2)
                self.head.train()
                self.size = len(list(self.head.parameters()))

        class Trainer:
            def __init__(self):
                self.model = Net()

            def run(self):
                self.model.train()
                self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
    """
    assert candidates(script) == ("self.model",)


def test_those_of_the_script_come_before_those_of_modules() -> None:
    script = "import other\nfrom torch import nn\nb = nn.Linear(1, 1)\nb.train()\n"
    other = "from torch import nn\na = nn.Linear(1, 1)\na.train()\na.parameters()\n"
    assert candidates(script, other=other) == ("b", "a")


def test_not_more_than_a_few_are_proposed() -> None:
    lines = [f"m{at} = nn.Linear(1, 1)\nm{at}.train()\n" for at in range(PROPOSED + 3)]
    assert len(candidates("from torch import nn\n" + "".join(lines))) == PROPOSED
