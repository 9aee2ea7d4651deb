"""NPU214: trainings of which nothing moves, in one file and in several."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU214"]})
MODEL = "import torch\nclass Net(torch.nn.Module):\n    pass\n"
LOOP = "def fit(net, opt, xs):\n    for x in xs:\n        net(x).sum().backward()\n        opt.step()\n"
FIT = "import torch\ndef fit(net, batches):\n    opt = torch.optim.SGD(net.parameters())\n"
MAIN = "if __name__ == '__main__':\n    fit(Net(), torch.optim.SGD(net.parameters()), [])\n"


class Files(Standalone):
    """A project of modules in one folder."""

    def __init__(self, **texts: str) -> None:
        self._texts = texts

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return (f"{module}.py", self._texts[module]) if module in self._texts else None


def said(text: str, path: str = "main.py", **modules: str) -> list[str]:
    return [item.message.id for item in check(SourceFile(text, path), OPTIONS, Files(**modules))]


def test_a_unit_test_runs_where_it_is_meant_to() -> None:
    alone = MODEL + "opt = torch.optim.SGD(Net().parameters())\nloss.backward()\nopt.step()\n"
    assert said(alone, "tests/test_net.py") == []
    assert said(alone + "if __name__ == '__main__':\n    pass\n", "tests/test_net.py") == ["NPU214.none"]
    assert said(alone + "if __name__ == '__main__':\n    unittest.main()\n", "tests/test_net.py") == []
    assert said(alone, "net.py") == ["NPU214.none"]


IMPORTS = "import torch\nfrom model import Net\nfrom train import fit\n"


def test_a_program_that_trains_in_another_module_is_reported_where_it_starts() -> None:
    modules = {"model": MODEL, "train": LOOP}
    assert said(IMPORTS + MAIN, **modules) == ["NPU214.program"]
    assert said(LOOP, "train.py", **modules) == []
    assert said(MODEL, "model.py", **modules) == []


def test_a_module_that_is_given_the_model_leaves_it_to_the_script() -> None:
    train = FIT + LOOP.partition("\n")[2]
    main = "from model import Net\nfrom train import fit\nif __name__ == '__main__':\n    fit(Net(), [])\n"
    assert said(train, "train.py", model=MODEL) == []
    assert said(main, model=MODEL, train=train) == ["NPU214.program"]


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param({"model": MODEL, "train": "device = 0\n" + LOOP}, id="the loop names a device"),
        pytest.param({"model": MODEL + "# for cuda\n", "train": LOOP}, id="the model does"),
        pytest.param({"model": MODEL, "train": "def fit(net, opt, x): ...\n"}, id="nothing goes backward"),
        pytest.param({"model": MODEL}, id="the loop is a library's"),
        pytest.param({"model": f"import runpy\n{MODEL}", "train": LOOP}, id="the program runs other files"),
    ],
)
def test_a_program_that_names_a_device_or_does_not_train_is_none(modules: dict[str, str]) -> None:
    assert said(IMPORTS + MAIN, **modules) == []


def test_a_program_of_one_file_is_told_once() -> None:
    text = (
        "import torch\nnet = make()\nopt = torch.optim.SGD(net.parameters())\nloss.backward()\nopt.step()\n"
    )
    assert said(f"{text}if __name__ == '__main__':\n    pass\n") == ["NPU214.none"]


@pytest.mark.parametrize(
    ("start", "ids"),
    [("from p.plot import draw\n", []), ("from p import fit\n", ["NPU214.program"])],
    ids=["of another module", "of the package"],
)
def test_a_package_that_only_runs_on_the_way_to_a_module_trains_nothing(start: str, ids: list[str]) -> None:
    modules = {"p": FIT + LOOP.partition("\n")[2], "p.plot": "def draw(): ...\n"}
    main = f"import torch\n{start}if __name__ == '__main__':\n    pass\n"
    assert said(main, **modules) == ids


def test_modules_without_a_start_are_a_library() -> None:
    assert said(f"{IMPORTS}opt = torch.optim.SGD(Net().parameters())\n", model=MODEL, train=LOOP) == []


STEPS = "    opt = torch.optim.Adam({}.parameters())\n    loss.backward()\n    opt.step()\n"


@pytest.mark.parametrize(
    ("text", "is_reported"),
    [
        ("def fit(net):\n" + STEPS.format("net"), False),
        ("def fit(net):\n" + STEPS.format("net") + "fit(Net())\n", True),
        ("def fit():\n    net = Net()\n" + STEPS.format("net"), True),
        ("def fit():\n" + STEPS.format("Net()"), True),
        ("def fit(self):\n" + STEPS.format("self.model"), False),
        ("def fit(self):\n" + STEPS.format("self"), False),
        (
            "class Trainer:\n    def __init__(self, net):\n        self.net = net\n"
            "    def fit(self):\n" + STEPS.format("self.net").replace("    ", "        "),
            False,
        ),
        (
            "class Trainer:\n    def __init__(self):\n        self.net = Net()\n"
            "    def fit(self):\n" + STEPS.format("self.net").replace("    ", "        "),
            True,
        ),
        (
            "class Trainer:\n    def __init__(self, net):\n        self.net = net\n    def fit(self):\n"
            + STEPS.format("self.net").replace("    ", "        ")
            + "Trainer(Net()).fit()\n",
            True,
        ),
    ],
)
def test_who_is_given_the_model_is_given_the_device(text: str, is_reported: bool) -> None:
    assert said(f"import torch\n{text}") == (["NPU214.none"] if is_reported else [])
