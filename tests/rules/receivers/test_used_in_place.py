"""What is loaded and used where it is: modules and operands that nothing moves to another device."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.receivers.used_in_place import is_used_in_place
from gpu2ascend_rules.text.source_file import SourceFile


def is_in_place(code: str) -> bool:
    """The answer for the call of ``LOAD`` in a file."""
    source = SourceFile(code)
    (name,) = source.identifiers("LOAD")
    assert name.parent is not None
    return is_used_in_place(name.parent, source)


@pytest.mark.parametrize(
    "code",
    [
        "m = LOAD()\ny = m(x)\n",
        "m = LOAD()\nm.eval()\n",
        "m = LOAD().eval()\ny = m(x)\n",
        "y = LOAD()(x)\n",
        "m = LOAD()\nm.rnn.flatten_parameters()\n",
        "m = LOAD()['model']\nfor p in m.parameters():\n    pass\n",
        "c = LOAD()\nm = c['model'].float()\nm.eval()\n",
        "m = LOAD()\ndef evaluate():\n    m.eval()\n",
        "def evaluate():\n    return m(x)\nm = LOAD()\n",
        "w = LOAD()\ny = x @ w\n",
        "m = n = LOAD()\nn.train()\n",
        "class T:\n  def load(self):\n    self.m = LOAD()\n  def run(self, x):\n    return self.m(x)\n",
        "m = Net()\nm.to(d)\nm = LOAD()\nm.eval()\n",
        "c = LOAD()\nc['mask'].to(d)\nc['model'].eval()\n",
        "w = LOAD()\ny = w * 2\n",
        "c = LOAD()\ny = (x - c['mean']) / c['std']\n",
    ],
)
def test_it_stays(code: str) -> None:
    assert is_in_place(code)


@pytest.mark.parametrize(
    "code",
    [
        "m = LOAD()\nm.to(d)\ny = m(x)\n",
        "m = LOAD().to(d)\ny = m(x)\n",
        "m = LOAD().cuda().eval()\ny = m(x)\n",
        "m = LOAD()\nm = m.eval()\nm.cuda()\n",
        "c = LOAD()\nm = c['model']\nm.to(d).eval()\n",
        "net.load_state_dict(LOAD())\n",
        "s = LOAD()\nnet.load_state_dict(s['model'])\nnet.eval()\n",
        "s = LOAD().state_dict()\nnet.load_state_dict(s)\n",
        "s = LOAD()\nfor k in s.keys():\n    print(k, s[k].shape)\n",
        "def load():\n    return LOAD()\n",
        "c = LOAD()\nnet.load_state_dict(c['m'])\nfirst = c['epoch'] + 1\n",
        "c = LOAD()\nfirst = c['epoch']\nfor e in range(first + 1, n):\n    pass\n",
        "c = LOAD()\nlast = c['epoch'] + args.epochs\n",
        "c = LOAD()\nprint('epoch %d' % c['epoch'], c['top1'] * 100)\n",
        "m = Net()\nm.eval()\nx = LOAD()\n",
        "class T:\n  def load(self):\n    self.m = LOAD()\n    self.m.to(d)\n    self.m.eval()\n",
        "class T:\n  def load(self):\n    self.m = LOAD()\nclass U:\n  def run(self, x):\n    self.m(x)\n",
    ],
)
def test_it_is_moved_or_only_read(code: str) -> None:
    assert not is_in_place(code)
