"""What a file saves says what its loads read: objects, for which a load needs ``weights_only=False``."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers.saved_files import is_saved_with_objects
from gpu2ascend_rules.text.source_file import SourceFile

_SAVE = "c = {'net': net.state_dict(), 'step': step, 'args': args}\ntorch.save(c, args.path)\n"
_LOAD = "old = torch.load(path)\nnet.load_state_dict(old['net'])\nstep = old['step']\n"
_ONE = "old = torch.load(path)\nnet.load_state_dict(old['net'])\n"
_HELPER = "def keep(*args, **kwargs):\n    if rank == 0:\n        torch.save(*args, **kwargs)\n"
_METHOD = (
    "class Loop:\n    def keep(self, path):\n        c = {'step': 1}\n"
    "        c['net'] = self.net.state_dict()\n        c['args'] = self.args\n"
    "        torch.save(c, path)\n        print(self.args.lr)\n"
)
_HANDED = (
    "def keep(net, step, args):\n    c = {'net': net.state_dict(), 'step': step, 'args': args}\n"
    "    torch.save(c, f)\n"
)
_RESUMED = (
    "def run(args):\n    old = torch.load(args.path)\n    step = old['step']\n    use(old['net'])\n"
    + ("    old = {'net': net.state_dict(), 'step': step, 'args': args}\n    torch.save(old, f)\n")
)
_MEASURED = (
    "import numpy as np\nclass Loop:\n    def run(self, losses):\n        self.seen.append({})\n"
    "    def keep(self, path):\n        torch.save({{'step': 1, 'seen': (self.seen, self.other)}}, path)\n"
    "    def back(self, path):\n        old = torch.load(path)\n        self.take(False, old)\n"
    "    def take(self, quiet, old):\n        self.step = old['step']\n        self.seen = old['seen']\n"
)
_WHOLE = "net.eval()\ntorch.save(net, path)\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_SAVE + _LOAD, True),
        (_LOAD + _SAVE, True),
        (_HELPER + _SAVE.replace("torch.save", "keep") + _LOAD, True),
        (_METHOD + _LOAD, True),
        (_SAVE + "old = torch.load(path)\nif 'step' in old:\n    use(old.get('net'))\n", True),
        (
            _SAVE.replace("args", "configs")
            + "old = torch.load(path)\nuse(old.pop('net'), old.pop('step'))\n",
            True,
        ),
        (_SAVE.replace("'args': args", "'model': net") + "net.eval()\n" + _LOAD, True),
        (_WHOLE + "net = torch.load(path)\n", True),
        (_HANDED + _LOAD, True),
        (_HANDED + "old = torch.load(f)\nstep = old['step']\nold = old['net']\nuse(old)\n", True),
        (_SAVE + _ONE + _LOAD, False),
        (_SAVE + "if a:\n    old = torch.load(f)\nelse:\n    old = {}\nuse(old['net'], old['step'])\n", True),
        (_RESUMED, True),
        (_MEASURED.format("np.mean(losses)"), True),
        (_MEASURED.format("float(np.mean(losses))"), False),
        (_HANDED.replace("args):", "*args):") + _LOAD, False),
        (_HANDED.replace("args", "config") + _LOAD, False),
        (_HANDED + "    print(args['lr'])\n" + _LOAD, False),
        ("opt.step()\nnet.train()\ntorch.save([net, opt], f)\nnet, opt = torch.load(f)\n", True),
        (_SAVE + _ONE, False),
        (_SAVE + _LOAD.replace("'step'", "'epoch'"), False),
        (_SAVE.replace("'args': args", "'args': vars(args)") + _LOAD, False),
        (_SAVE.replace("args.path", "args['path']") + _LOAD, False),
        (_SAVE.replace("'args': args", "'loss': loss") + _LOAD, False),
        (_WHOLE + "other = torch.load(path)\n", False),
        (_WHOLE.replace("(net,", "(net.state_dict(),") + "net = torch.load(path)\n", False),
        ("torch.save([net, opt], f)\nnet, opt = torch.load(f)\n", False),
        ("torch.serialization.add_safe_globals([Namespace])\n" + _SAVE + _LOAD, False),
    ],
)
def test_a_load_reads_what_the_file_saves(code: str, expected: bool) -> None:
    source = SourceFile("import torch\n" + code)
    calls = (node for node in nodes_in(source.root) if node.type == "call")
    load = next(call for call in calls if source.names.called_in(call) == "torch.load")
    assert is_saved_with_objects(load, Context(source, options_from({"version": "2.8.0"}))) is expected


class _Program(Standalone):
    """A project of which another file saves checkpoints with the options of the program."""

    read_settings = frozenset({"saved:args,net,step"})


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("net.load_state_dict(torch.load(f)['net'])\n", [Severity.INFORMATION]),
        (_ONE, [Severity.INFORMATION]),
        (_LOAD, [Severity.INFORMATION]),
        (_ONE.replace("['net']", "['model']"), []),
        ("net.load_state_dict(torch.load(f))\n", []),
        (_ONE.replace("path)", "path, weights_only=True)"), []),
    ],
)
def test_a_load_may_read_what_another_file_saves(code: str, expected: list[Severity]) -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU009"]})
    found = check(SourceFile("import torch\n" + code), options, _Program())
    assert [item.severity for item in found] == expected


@pytest.mark.parametrize(
    ("condition", "severity"),
    [
        ("args.path", Severity.INFORMATION),
        ("os.path.isfile(args.path)", Severity.INFORMATION),
        ("args.other", Severity.ERROR),
    ],
)
def test_what_is_loaded_only_where_it_is_there_keeps_no_training_from_starting(
    condition: str, severity: Severity
) -> None:
    code = _RESUMED.replace("    old = torch", f"    if {condition}:\n        old = torch", 1)
    options = options_from({"version": "2.8.0", "select": ["NPU009"]})
    assert [item.severity for item in check(SourceFile("import torch\n" + code), options)] == [severity]
