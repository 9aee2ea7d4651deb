"""The sampler gets the number of each epoch, where the epochs are counted and both can be named."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted

HEAD = """\
import itertools
from torch.utils.data import DataLoader
from tqdm import tqdm, trange

"""
MAIN = "def main(args):\n    model = Net()\n"
SET = "if isinstance({0}.sampler, DistributedSampler):\n{1}    {0}.sampler.set_epoch({2})\n"


def text_of(code: str) -> str:
    """The text of a program after the conversion; the code stands below the imports that it uses."""
    return converted(HEAD + code + '\n\nif __name__ == "__main__":\n    main(parse())\n').text


def is_set(loader: str, epoch: str, indent: int) -> str:
    """The statement that sets the epoch of a loader's sampler, in a block so deep."""
    return " " * indent + SET.format(loader, " " * indent, epoch)


@pytest.mark.parametrize(
    ("counts", "epoch"),
    [
        pytest.param("for epoch in range(9):", "epoch", id="for"),
        pytest.param("for i in trange(9):", "i", id="progress bar"),
        pytest.param("for i in tqdm(range(9)):", "i", id="range in a progress bar"),
        pytest.param("for i in itertools.count():", "i", id="without an end"),
        pytest.param("while epoch < 9:", "epoch", id="while"),
        pytest.param("while args.epoch < 9:", "args.epoch", id="an attribute that counts"),
    ],
)
def test_it_is_set_at_the_beginning_of_the_loop_that_counts(counts: str, epoch: str) -> None:
    text = text_of(
        f"{MAIN}    epoch = 0\n    loader = DataLoader(data, 4)\n    {counts}\n        start()\n"
        "        for x in loader:\n            model(x).backward()\n"
    )
    assert is_set("loader", epoch, 8) + "        start()\n        for x in loader:\n" in text


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param("while True:", id="without a counter"),
        pytest.param("while loss > 0.1:", id="of something else"),
        pytest.param("for name in names:", id="over names"),
        pytest.param("for a, b in zip(range(3), range(3)):", id="over pairs"),
        pytest.param("for name in sorted(names):", id="over what a call gives"),
    ],
)
def test_where_nothing_counts_the_epochs_that_is_said(counts: str) -> None:
    done = converted(
        f"{HEAD}{MAIN}    loader = DataLoader(data, 4, shuffle=True)\n    {counts}\n"
        "        for x in loader:\n            model(x).backward()\n"
        '\nif __name__ == "__main__":\n    main(1)\n'
    )
    assert "NPU422.no_epoch" in done.left
    assert "set_epoch" not in done.text
    assert "DistributedSampler(data" in done.text


def test_a_loader_that_is_made_anew_in_each_epoch_gets_it_before_its_batches() -> None:
    text = text_of(
        f"{MAIN}    for epoch in range(9):\n        loader = DataLoader(data, 4)\n"
        "        for x in loader:\n            model(x).backward()\n"
    )
    assert is_set("loader", "epoch", 8) + "        for x in loader:\n" in text


MADE_INSIDE = {
    "a variable": ("loader", "for x in loader:\n            model(x).backward()"),
    "an attribute": ("args.loader", "for x in args.loader:\n            model(x).backward()"),
    "given to a function": ("loader", "train(model, loader)"),
    "given by its name": ("loader", "x = train(model, loader=loader)"),
    "an attribute that is given": ("args.loader", "train(model, args.loader)"),
}


@pytest.mark.parametrize("name", MADE_INSIDE)
def test_what_a_loop_makes_is_not_asked_before_it_is_made(name: str) -> None:
    loader, batches = MADE_INSIDE[name]
    train = TRAIN.format(parameters="loader", batches="loader")
    made = f"{loader} = DataLoader(data, 4)"
    text = text_of(f"{train}{MAIN}    for epoch in range(9):\n        {made}\n        {batches}\n")
    assert f"{is_set(loader, 'epoch', 8)}        {batches}\n" in text
    assert text.index(f"{loader} = DataLoader(") < text.index(f"{loader}.sampler.set_epoch")


def test_below_a_condition_it_is_set_where_the_loader_is_made() -> None:
    train = TRAIN.format(parameters="loader", batches="loader")
    inner = (
        "        if epoch % 2:\n            loader = DataLoader(data, 4)\n            train(model, loader)\n"
    )
    text = text_of(f"{train}{MAIN}    for epoch in range(9):\n{inner}")
    assert is_set("loader", "epoch", 12) + "            train(model, loader)\n" in text


def test_of_several_calls_the_one_in_a_loop_that_counts_is_where_it_is_set() -> None:
    train = TRAIN.format(parameters="loader", batches="loader")
    text = text_of(
        f"{train}{MAIN}    loader = DataLoader(data, 4)\n    train(model, loader)\n"
        "    for epoch in range(9):\n        train(model, loader)\n"
    )
    assert text.count(".set_epoch(") == 1
    assert is_set("loader", "epoch", 8) + "        train(model, loader)\n" in text


TRAIN = "def train(model, {parameters}):\n    for x in {batches}:\n        model(x).backward()\n\n"


@pytest.mark.parametrize(
    ("parameters", "batches", "call", "loader"),
    [
        pytest.param("loader", "loader", "train(model, batches)", "batches", id="given by its position"),
        pytest.param("loader", "loader", "train(model, loader=batches)", "batches", id="given by its name"),
        pytest.param("loader", "tqdm(enumerate(loader))", "train(model, batches)", "batches", id="wrapped"),
    ],
)
def test_of_a_function_for_one_epoch_the_caller_sets_it(
    parameters: str, batches: str, call: str, loader: str
) -> None:
    text = text_of(
        TRAIN.format(parameters=parameters, batches=batches)
        + f"{MAIN}    batches = DataLoader(data, 4)\n    for epoch in range(9):\n"
        + f"        {call}\n"
    )
    assert f"    for epoch in range(9):\n{is_set(loader, 'epoch', 8)}        {call}\n" in text


def test_a_loop_outside_of_functions_has_no_caller_that_counts() -> None:
    done = converted(
        f"{HEAD}model = Net()\nloader = DataLoader(data, 4, shuffle=True)\n"
        "for x in loader:\n    model(x).backward()\n"
    )
    assert "NPU422.no_epoch" in done.left
    assert "set_epoch" not in done.text and "DistributedSampler(data" in done.text


def test_a_loop_over_nothing_at_all_is_left_alone() -> None:
    code = f"{MAIN}    for epoch in range(9):\n        for x in {{}}:\n            model(x).backward()\n"
    loader = "    loader = DataLoader(data, 4)\n"
    given = code.replace(MAIN, MAIN + loader)
    assert "set_epoch" in text_of(given.format("tqdm(loader)"))
    assert "set_epoch" not in text_of(given.format("tqdm()"))


@pytest.mark.parametrize("batches", ["tqdm(loader)", "enumerate(loader)", "iter(tqdm(loader))"])
def test_batches_in_a_variable_are_those_of_the_loader_that_it_was_made_of(batches: str) -> None:
    text = text_of(
        f"{MAIN}    loader = DataLoader(data, 4)\n    for epoch in range(9):\n        batches = {batches}\n"
        "        for x in batches:\n            model(x).backward()\n"
    )
    assert is_set("loader", "epoch", 8) in text


def test_through_two_functions_the_outermost_sets_it() -> None:
    text = text_of(
        TRAIN.format(parameters="loader", batches="loader")
        + "def one(model, given):\n    train(model, given)\n\n"
        + f"{MAIN}    batches = DataLoader(data, 4)\n    for epoch in range(9):\n"
        + "        one(model, batches)\n"
    )
    assert f"    for epoch in range(9):\n{is_set('batches', 'epoch', 8)}        one(model, batches)\n" in text


def test_what_an_object_holds_the_caller_names_by_the_object() -> None:
    text = text_of(
        "class Trainer:\n    def __init__(self):\n        self.loader = DataLoader(data, 4)\n\n"
        "    def train(self):\n        for x in self.loader:\n            model(x).backward()\n\n"
        f"{MAIN}    trainer = Trainer()\n    for epoch in range(9):\n        trainer.train()\n"
    )
    assert is_set("trainer.loader", "epoch", 8) + "        trainer.train()\n" in text


def test_a_global_loader_has_the_same_name_for_the_caller() -> None:
    text = text_of(
        "loader = DataLoader(data, 4)\n\ndef train(model):\n    for x in loader:\n"
        f"        model(x).backward()\n\n{MAIN}    for epoch in range(9):\n        train(model)\n"
    )
    assert is_set("loader", "epoch", 8) + "        train(model)\n" in text


@pytest.mark.parametrize("name", ["epoch", "current_epoch", "epoch_idx"])
def test_a_function_that_is_given_the_epoch_sets_it_itself(name: str) -> None:
    """The caller cannot name the loader, which the function makes."""
    text = text_of(
        f"def train(model, {name}):\n    loader = DataLoader(data, 4)\n    for x in loader:\n"
        f"        model(x).backward()\n\n{MAIN}    for e in range(9):\n        train(model, e)\n"
    )
    assert is_set("loader", name, 4) + "    for x in loader:\n" in text


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("train(model, make_loader(DataLoader(data, 4, shuffle=True)))", id="no name"),
        pytest.param("train(*both)", id="unpacked"),
    ],
)
def test_what_the_caller_cannot_name_is_said(call: str) -> None:
    done = converted(
        HEAD
        + "def make_loader(x):\n    return x\n\n"
        + TRAIN.format(parameters="loader=DataLoader(data, 4, shuffle=True)", batches="loader")
        + f"{MAIN}    for step in range(9):\n        {call}\n"
        + '\nif __name__ == "__main__":\n    main(1)\n'
    )
    assert "set_epoch" not in done.text
    assert "NPU422.no_epoch" in done.left


def test_two_loops_over_one_loader_set_it_once() -> None:
    text = text_of(
        f"{MAIN}    loader = DataLoader(data, 4)\n    for epoch in range(9):\n"
        "        for x in loader:\n            model(x).backward()\n"
        "        for x in loader:\n            model(x).sum().backward()\n"
    )
    assert text.count("set_epoch(epoch)") == 1


PHASES = """\
class Trainer:
    def __init__(self):
        self.model = Net().cuda()
        self.loaders = {{"train": DataLoader(data, 4), "val": DataLoader(held, 4)}}

    def run_phase(self, {parameters}):
        {first}
        for x in self.loaders[phase]:
            loss = self.model(x)
            if phase == "train":
                loss.backward()

    def run(self):
        for epoch in range(9):
            {calls}

if __name__ == "__main__":
    Trainer().run()
"""


@pytest.mark.parametrize(
    ("calls", "loader"),
    [
        pytest.param('self.run_phase("train"); self.run_phase("val")', '"train"', id="training first"),
        pytest.param('self.run_phase("val"); self.run_phase("train")', '"train"', id="evaluation first"),
        pytest.param(
            'for phase in ("train", "val"):\n                self.run_phase(phase)', "phase", id="in a loop"
        ),
    ],
)
def test_a_key_of_the_loaders_is_named_as_the_caller_names_it(calls: str, loader: str) -> None:
    given = HEAD + PHASES.format(parameters="phase", first="start()", calls=calls)
    text = converted(given, model="self.model").text
    assert f"self.loaders[{loader}].sampler.set_epoch(epoch)\n" in text
    assert text.count(".set_epoch(") == 1


def test_a_key_that_the_caller_does_not_know_is_said() -> None:
    first = "phase = self.next_phase()"
    given = HEAD + PHASES.format(parameters="n", first=first, calls="self.run_phase(3)")
    done = converted(given.replace("(data, 4)", "(data, 4, shuffle=True)"), model="self.model")
    assert "NPU422.no_epoch" in done.left and "set_epoch" not in done.text


def test_a_dictionary_of_loaders_is_named_as_the_caller_names_it() -> None:
    train = TRAIN.format(parameters="loaders, phase", batches="loaders[phase]")
    text = text_of(
        f'{train}{MAIN}    both = {{"train": DataLoader(data, 4)}}\n    for epoch in range(9):\n'
        '        train(model, both, "train")\n'
    )
    assert 'both["train"].sampler.set_epoch(epoch)' in text and "loaders[phase].sampler" not in text


FOREVER = "def forever(loader):\n    while True:\n        yield from loader\n\n"


def test_what_may_be_a_generator_instead_of_a_loader_is_asked_for_its_sampler() -> None:
    text = text_of(
        f"{FOREVER}{MAIN}    loader = DataLoader(data, 4)\n"
        "    if args.steps:\n        loader = forever(loader)\n"
        "    for epoch in range(9):\n        for x in loader:\n            model(x).backward()\n"
    )
    asked = 'if isinstance(getattr(loader, "sampler", None), DistributedSampler):'
    assert f"{asked}\n            loader.sampler.set_epoch(epoch)\n" in text
    assert "loader.sampler.set_epoch(loader.sampler.epoch + 1)\n        yield from loader\n" in text


def test_data_in_one_order_needs_no_epoch() -> None:
    code = f"{HEAD}{MAIN}    loader = DataLoader(data, 4)\n    while True:\n        for x in loader:\n"
    done = converted(f"{code}            model(x).backward()\n\nmain(1)\n")
    assert "NPU422.no_epoch" not in done.left
