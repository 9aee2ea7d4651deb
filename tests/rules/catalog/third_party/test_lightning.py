"""NPU704: Lightning told to use GPUs, in whatever way the trainer gets it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU704"]})


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
        ("pl.Trainer.from_argparse_args(args)\n", "pl.Trainer.from_argparse_args"),
        ("pl.Trainer.from_argparse_args(args, accelerator='gpu')\n", "accelerator='gpu'"),
        ("p = pl.Trainer.add_argparse_args(p)\np.set_defaults(gpus=1)\n", "gpus=1"),
        ("p.add_argument('--accelerator', default='gpu')\npl.Trainer(**vars(args))\n", "default='gpu'"),
    ],
)
def test_gpus_reach_a_trainer(text: str, place: str) -> None:
    assert found(text) == [place]


@pytest.mark.parametrize(
    "text",
    [
        "pl.Trainer(accelerator='cpu')\n",
        "kw = {'accelerator': 'gpu'}\nother(**kw)\npl.Trainer()\n",
        "kw = {'accelerator': 'cpu', 'devices': 2}\npl.Trainer(**kw)\n",
        "kw = {'gpus': 0}\npl.Trainer(**kw)\n",
        "p.add_argument('--gpus', default=1)\npl.Trainer()\n",
        "print('accelerator', 'gpu')\n",
    ],
)
def test_nothing_asks_for_gpus(text: str) -> None:
    assert found(text) == []
