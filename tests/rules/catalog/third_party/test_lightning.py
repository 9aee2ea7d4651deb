"""NPU704: Lightning told to use GPUs, in whatever way the trainer gets it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU704"]})
CONTROL = "pl.Trainer(accelerator='cuda')\n"


def found(text: str) -> list[str]:
    source = SourceFile(f"import pytorch_lightning as pl\n{text}")
    return [source.slice(item.start, item.end) for item in check(source, OPTIONS)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("pl.Trainer(accelerator='cuda')\n", "accelerator='cuda'"),
        ("pl.Trainer(**{'accelerator': 'gpu'})\n", "'accelerator': 'gpu'"),
        ("kw = {'gpus': 2}\npl.Trainer(**kw)\n", "'gpus': 2"),
        ("kw = dict(accelerator='gpu')\npl.Trainer(**kw)\n", "accelerator='gpu'"),
        ("kw = {}\nkw['gpus'] = 2\npl.Trainer(max_epochs=1, **kw)\n", "kw['gpus'] = 2"),
        ("cfg = {'trainer': {'accelerator': 'gpu'}}\npl.Trainer(**cfg['trainer'])\n", "'accelerator': 'gpu'"),
        ("cfg = dict(trainer=dict(gpus=1))\npl.Trainer(**cfg['trainer'])\n", "gpus=1"),
        ("kw['gpus'] = 2\npl.Trainer(**kw)\n", "kw['gpus'] = 2"),
        ("pl.Trainer.from_argparse_args(args)\n", "pl.Trainer.from_argparse_args"),
        ("pl.Trainer.from_argparse_args(args, accelerator='gpu')\n", "accelerator='gpu'"),
        ("p = pl.Trainer.add_argparse_args(p)\np.set_defaults(gpus=1)\n", "gpus=1"),
        ("p.add_argument('--accelerator', default='gpu')\npl.Trainer(**vars(args))\n", "default='gpu'"),
    ],
)
def test_gpus_reach_a_trainer(text: str, place: str) -> None:
    assert found(text) == [place]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("pl.Trainer(max_epochs=3, devices=8)\n", "pl.Trainer"),
        ("pl.Trainer(accelerator='auto')\n", "'auto'"),
        ("pl.Trainer(strategy=FSDPStrategy())\n", "pl.Trainer"),
        ("from lightning import Fabric\nFabric(devices=4)\n", "Fabric"),
        ("from lightning import Fabric\nFabric('auto')\n", "'auto'"),
        ("from lightning.pytorch.cli import LightningCLI\nLightningCLI(M)\n", "LightningCLI"),
    ],
)
def test_a_trainer_chooses_itself(text: str, place: str) -> None:
    assert found(text) == [place]


@pytest.mark.parametrize(
    "text",
    [
        "pl.Trainer(accelerator=NpuAccelerator())\n",
        "pl.Trainer(**settings)\n",
        "pl.Trainer(strategy=SingleDeviceStrategy(accelerator=mine))\n",
        "from lightning import Fabric\nFabric('cpu')\n",
        "pl.Trainer(tpu_cores=8)\n",
        "trainer: pl.Trainer = given\n",
    ],
)
def test_a_trainer_is_told(text: str) -> None:
    assert found_before(CONTROL, text, found) == []


@pytest.mark.parametrize(
    "text",
    [
        "pl.Trainer(accelerator='cpu')\n",
        "kw = {'accelerator': 'gpu'}\nother(**kw)\npl.Trainer(accelerator='cpu')\n",
        "kw = {'accelerator': 'cpu', 'devices': 2}\npl.Trainer(**kw)\n",
        "kw = {'gpus': 0}\npl.Trainer(**kw)\n",
        "p.add_argument('--gpus', default=1)\npl.Trainer(accelerator='cpu')\n",
        "print('accelerator', 'gpu')\n",
        "kw['gpus'] = 2\npl.Trainer(accelerator='cpu')\n",
        "kw['gpus'] = 2\nother(**kw)\npl.Trainer(**rest)\n",
        "make()['gpus'] = 2\npl.Trainer(accelerator='cpu')\n",
        "self.kw['gpus'] = 2\npl.Trainer(accelerator='cpu')\n",
    ],
)
def test_nothing_asks_for_gpus(text: str) -> None:
    assert found_before(CONTROL, text, found) == []


TORCH = "import torch\nimport pytorch_lightning as pl\n"
CHOSEN = "'gpu' if torch.cuda.is_available() else 'cpu'"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("kind = 'gpu'\npl.Trainer(accelerator=kind)\n", "'gpu'"),
        ("kind = 'cuda' if fast else 'cpu'\npl.Trainer(accelerator=kind)\n", "'cuda'"),
        ("kind = kinds or 'gpu'\nt = pl.Trainer(accelerator=kind)\n", "'gpu'"),
        ("def train(kind='gpu'):\n    pl.Trainer(accelerator=kind)\n", "'gpu'"),
        ("def train(kind):\n    pl.Trainer(accelerator=kind)\ntrain('gpu')\n", "'gpu'"),
        ("def train(kind):\n    pl.Trainer(accelerator=kind)\ntrain(kind='gpu')\n", "kind='gpu'"),
        ("def kind():\n    return 'gpu'\npl.Trainer(accelerator=kind())\n", "'gpu'"),
        (
            "p.add_argument('--kind', default='gpu')\na = p.parse_args()\npl.Trainer(accelerator=a.kind)\n",
            "default='gpu'",
        ),
        (
            "class C:\n    def __init__(self):\n        self.kind = 'gpu'\n"
            "    def f(self):\n        pl.Trainer(accelerator=self.kind)\n",
            "'gpu'",
        ),
        ("kind = 'gpu'\nkw = {}\nkw['accelerator'] = kind\npl.Trainer(**kw)\n", "'gpu'"),
        ("from lightning.fabric import Fabric\nFabric('cuda', devices=2)\n", "'cuda'"),
    ],
)
def test_gpus_reach_a_trainer_by_another_name(text: str, place: str) -> None:
    assert found(text) == [place]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("pl.Trainer(accelerator={chosen})\n", "NPU704"),
        ("kind = {chosen}\npl.Trainer(accelerator=kind)\n", "NPU704"),
        ("accelerator = {chosen}\nrun(accelerator)\n", "NPU704"),
        ("if torch.cuda.is_available():\n    kind = 'gpu'\npl.Trainer(accelerator=kind)\n", "NPU704"),
        ("pl.Trainer(accelerator='cuda' if torch.cuda.is_available() else 'cpu')\n", "NPU704"),
    ],
)
def test_the_test_that_chooses_an_accelerator_stays(text: str, code: str) -> None:
    """With the NPU asked for in its place the trainer would look for a GPU, and raise."""
    source = SourceFile(TORCH + text.format(chosen=CHOSEN))
    assert {item.code for item in check(source, options_from({"version": "2.8.0"}))} == {code}


def test_a_test_for_a_word_that_is_no_accelerator_is_renamed() -> None:
    source = SourceFile(f"import torch\nlabel = {CHOSEN}\nprint(label)\n")
    assert {item.code for item in check(source, options_from({"version": "2.8.0"}))} == {"NPU101"}


@pytest.mark.parametrize(
    "text",
    [
        "kind = 'gpu'\nprint(kind)\npl.Trainer(accelerator='cpu')\n",
        "from accelerate import Accelerator\nAccelerator(accelerator='gpu')\n",
        "if accelerator == 'gpu':\n    pass\n",
    ],
)
def test_a_word_that_reaches_no_trainer_is_not_reported(text: str) -> None:
    assert found_before(CONTROL, text, found) == []
