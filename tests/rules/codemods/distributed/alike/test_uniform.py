"""Which values are the same in all processes: those that are proved to be, and no others."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.program import Place
from gpu2ascend_rules.text.syntax import arguments_of
from tests.rules.codemods.distributed.alike.asking import asked


def is_common(text: str) -> bool:
    """Whether all processes come by ``ask()``."""
    job, call = asked(text)
    return job.meeting.is_common(call)


def is_same(text: str, **modules: str) -> bool:
    """Whether what ``ask`` is given is the same in all processes."""
    job, call = asked(text, modules)
    (argument,) = arguments_of(call.node).items
    return job.uniform.is_same(Place(call.file, argument.value))


LITERALS = (
    "3",
    "2.5",
    "'text'",
    "b'bytes'",
    "None",
    "True",
    "False",
    "...",
    "'two ' 'parts'",
    "(1)",
    "f'a{1!r:>3}'",
)


@pytest.mark.parametrize("literal", LITERALS)
def test_literals_are_the_same(literal: str) -> None:
    assert is_same(f"ask({literal})\n")


CONSTRUCTS = (
    *("-{}", "not {}", "{} + 1", "1 + {}", "{} and 1", "1 < {}", "({}, 1)", "[1, {}]", "{{1, {}}}"),
    *("{{'a': {}}}", "{{{}: 1}}", "[1, 2][{}]", "[1, 2][0:{}]", "f'a {{{}}}'", "'a' f'{{{}}}'"),
    *("1 if {} else 2", "{} if 1 else 2", "2 if 1 else {}", "max(1, {})", "int({})", "dict(a={})"),
    *("str({}).strip()", "'a'.join([{}])"),
)
"""What is made of other values."""


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_what_is_made_of_values_is_the_same_where_all_of_them_are(construct: str) -> None:
    assert is_same(f"ask({construct.format('args.steps')})\n")
    assert not is_same(f"ask({construct.format('loss.item()')})\n")


SAME = {
    "options": "ask(args.steps)\n",
    "options of an object": "ask(self.args.steps)\n",
    "options below options": "ask(cfg.train.steps)\n",
    "options that have another name": "given = parser.parse_args()\nask(given.steps)\n",
    "options of which some are not known": "ask(parser.parse_known_args())\n",
    "a constant of a library": "import math\nask(math.pi)\n",
    "a variable": "steps = 3\nask(steps)\n",
    "one of two variables": "steps, loss = 3, train()\nask(steps)\n",
    "a variable given by another one": "steps = 3\nmore = steps * 2\nask(more)\n",
    "a counter": "step = 0\nwhile True:\n    step += 1\n    ask(step)\n",
    "variables that are given each other": "a = b\nb = a\nask(a)\n",
    "what is decided by an option": "steps = 3\nif args.long:\n    steps = 9\nask(steps)\n",
    "a name of the module": "ask(__name__)\n",
    "a function": "def f():\n    pass\nask(f)\n",
    "what a module of a library has": "from torch import nn\nask(nn)\n",
    "an empty list that stays empty": "names = []\nask(names)\n",
    "a number of a round": "for i in range(9):\n    ask(i)\n",
    "a number of a batch": "for i, x in enumerate(loader):\n    ask(i)\n",
    "a number of a batch with a bar": "for i, x in tqdm(enumerate(loader)):\n    ask(i)\n",
    "a pair of numbers": "for pair in zip(range(3), args.names):\n    ask(pair)\n",
    "an item of a literal": "for name in ('a', 'b'):\n    ask(name)\n",
    "how many batches there are": "loader = DataLoader(data)\nask(len(loader))\n",
    "how many batches there are by name": "ask(len(self.train_loader))\n",
    "how many samples there are": "ask(len(train_dataset))\n",
    "how long a list of options is": "ask(len(args.names))\n",
    "a variable of the environment": "import os\nask(os.environ.get('STEPS'))\n",
    "how many devices there are": "import torch\nask(torch.cuda.device_count())\n",
    "parts of an option": "ask(args.names.split(','))\n",
    "what an option is among": "ask(args.table.get(args.key))\n",
    "a parameter": "def f(steps):\n    ask(steps)\nf(3)\n",
    "a parameter by its name": "def f(steps):\n    ask(steps)\nf(steps=args.steps)\n",
    "a parameter with a default": "def f(steps=3):\n    ask(steps)\nf()\n",
    "options as a parameter": "def f(args):\n    ask(args)\n",
    "the object of a method": "class T:\n    def f(self):\n        ask(self)\n",
    "the epoch of a checkpoint": "import torch\nstate = torch.load(args.resume)\nask(state['epoch'] + 1)\n",
    "one of several figures of a checkpoint":
        "import torch\ndef load(path):\n    state = torch.load(path, map_location=device)\n"
        "    return state['epoch'], state['best']\nepoch, best = load('last.pt')\nask(epoch)\n",
    "what a function gives with the same": "def steps_of(n):\n    return n * 2\nask(steps_of(3))\n",
}  # fmt: skip

MAY_DIFFER = {
    "a name that nothing binds": "ask(unknown)\n",
    "a figure": "ask(loss.item())\n",
    "a part of what a function gives": "steps, loss = train()\nask(steps)\n",
    "an attribute of what is no option": "given = load()\nask(given.steps)\n",
    "an attribute of what a call gives": "ask(load().steps)\n",
    "a variable given by a figure": "steps = loss.item()\nask(steps)\n",
    "the other of two variables": "steps, loss = 3, train()\nask(loss)\n",
    "a sum of figures": "total = 0\nfor x in loader:\n    total += model(x).item()\nask(total)\n",
    "a variable given twice": "steps = 3\nsteps = train()\nask(steps)\n",
    "a list of figures": "losses = []\nlosses.append(train())\nask(losses)\n",
    "a list that grows": "losses = []\nlosses += [train()]\nask(losses)\n",
    "a dictionary of figures": "figures = {}\nfigures['loss'] = train()\nask(figures)\n",
    "a dictionary of figures that is updated": "figures = dict()\nfigures.update(train())\nask(figures)\n",
    "what is decided by a figure": "best = 0\nif train() > 1:\n    best = 1\nask(best)\n",
    "what else is decided by a figure": "if train() > 1:\n    best = 1\nelse:\n    best = 2\nask(best)\n",
    "what a later test decides":
        "if args.short:\n    best = 1\nelif train() > 1:\n    best = 2\nask(best)\n",
    "what a loop decides": "steps = 0\nwhile train() > 1:\n    steps += 1\nask(steps)\n",
    "what goes wrong": "ok = 1\ntry:\n    train()\nexcept ValueError:\n    ok = 0\nask(ok)\n",
    "an error": "try:\n    train()\nexcept ValueError as error:\n    ask(error)\n",
    "a batch": "for x in loader:\n    ask(x)\n",
    "a batch beside its number": "for i, x in enumerate(loader):\n    ask(x)\n",
    "a batch below a bar without anything": "for i, x in tqdm():\n    ask(i)\n",
    "what lies in a directory": "import os\nfor name in os.listdir('.'):\n    ask(name)\n",
    "a pair with what lies in a directory":
        "import os\nfor pair in zip(range(3), os.listdir('.')):\n    ask(pair)\n",
    "how many files there are": "import os\nask(len(os.listdir('.')))\n",
    "the clock": "import time\nask(time.time())\n",
    "a random number": "import random\nask(random.random())\n",
    "what a function gives": "ask(steps_of(3))\n",
    "what a method gives": "ask(args.make(3))\n",
    "a line of a file": "line = file.readline()\nask(line.split(','))\n",
    "what a figure is among": "ask(args.table.get(train()))\n",
    "a parameter of what nothing calls": "def f(steps):\n    ask(steps)\n",
    "a parameter that is a figure": "def f(steps):\n    ask(steps)\nf(loss.item())\n",
    "a parameter that is a figure once": "def f(steps):\n    ask(steps)\nf(3)\nf(loss.item())\n",
    "a parameter that is not given": "def f(steps):\n    ask(steps)\nf(3)\nf(*rest)\n",
    "a default beside a figure": "def f(steps=3):\n    ask(steps)\nf()\nf(loss.item())\n",
    "a default that is a figure": "def f(steps=loss.item()):\n    ask(steps)\nf()\n",
    "a parameter of a lambda": "call(lambda steps: ask(steps))\n",
    "a checkpoint of each process": "import torch\nask(torch.load(f'{rank()}.pt')['epoch'])\n",
    "a file that may be there":
        "import os, torch\nepoch = 0\nif os.path.exists('a.pt'):\n"
        "    epoch = 1\nask(epoch)\n",
    "a list of a checkpoint that grows":
        "import torch\nlosses = torch.load('a.pt')['losses']\nlosses.append(train())\nask(losses)\n",
    "what a function gives where a figure decides":
        "def f():\n    if train() > 1:\n        return 1\n    return 2\nask(f())\n",
    "what a generator of numbers gives": "def f():\n    yield 1\n    return 2\nask(f())\n",
    "what a function gives without a value": "def f():\n    train()\nask(f())\n",
    "a file that is opened": "with open('a') as file:\n    ask(file)\n",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_is_the_same_in_all_processes(name: str) -> None:
    assert is_same(SAME[name])


@pytest.mark.parametrize("name", MAY_DIFFER)
def test_may_differ_between_processes(name: str) -> None:
    assert not is_same(MAY_DIFFER[name])


@pytest.mark.parametrize(("given", "same"), [("3", True), ("time.time()", False)])
def test_what_another_file_binds_is_as_it_is_there(given: str, same: bool) -> None:
    module = f"import time\nSTEPS = {given}\n"
    assert is_same("from settings import STEPS\nask(STEPS)\n", settings=module) is same


CLASS = """
class Base:
    def __init__(self):
        self.inherited = {inherited}

class Trainer(Base):
    def __init__(self):
        self.steps = {steps}
        self.one, self.other = 1, {other}
        self.first, self.second = {pair}

    def run(self):
        {run}
        ask({ask})
"""


def of_object(asked_for: str, **given: str) -> bool:
    """Whether an attribute of an object is the same in all processes."""
    values = {"inherited": "0", "steps": "0", "other": "2", "pair": "1, 2", "run": "pass", **given}
    return is_same(CLASS.format(ask=asked_for, **values))


ATTRIBUTES = {"self.steps": "steps", "self.inherited": "inherited", "self.other": "other"}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_an_attribute_is_the_same_where_all_that_its_class_gives_it_is(attribute: str) -> None:
    given = ATTRIBUTES[attribute]
    assert of_object(attribute)
    assert of_object(attribute, **{given: "args.steps"})
    assert not of_object(attribute, **{given: "train()"})


def test_an_attribute_that_is_given_again_is_the_same_where_both_are() -> None:
    assert of_object("self.steps", run="self.steps += 1")
    assert not of_object("self.steps", run="self.steps += train()")
    assert of_object("self.steps", run="if args.long: self.steps = 9")
    assert not of_object("self.steps", run="if train() > 1: self.steps = 9")


def test_of_attributes_that_are_given_at_once_each_has_its_own_value() -> None:
    assert of_object("self.one", other="train()")
    assert of_object("self.first")
    assert not of_object("self.first", pair="train()")


def test_an_attribute_that_its_class_does_not_give_may_differ() -> None:
    assert not of_object("self.elsewhere")
    assert not is_same("def run(self):\n    ask(self.steps)\n")


RESUMED = """
import os, torch
first = 0
if os.path.isfile(args.path):
    BODY
ask(first)
"""


def test_whether_there_is_a_checkpoint_is_the_same_where_it_is_read_then() -> None:
    assert is_same(RESUMED.replace("BODY", "first = torch.load(args.path)['epoch'] + 1"))
    assert not is_same(RESUMED.replace("BODY", "first = 1"))
    below = RESUMED.replace("ask(first)", "").replace("BODY", "torch.load(args.path)\n    ask(1)")
    assert not is_common(below)
    unknown = RESUMED.replace("args.path", "find()")
    assert not is_same(unknown.replace("BODY", "first = torch.load(args.path)['epoch'] + 1"))
