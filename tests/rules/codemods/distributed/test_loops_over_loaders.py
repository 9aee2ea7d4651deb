"""Which loader the training loop goes through, however the loop is written."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

HEAD = "from torch.utils.data import DataLoader\nmodel = Net().cuda()\n"
STEP = f"{HEAD}def step(batch):\n    loss = model(batch)\n    loss.backward()\n    return loss.item()\n\n"


def test_without_a_training_loop_that_is_said() -> None:
    assert "NPU421.no_loop" in converted("model = 1\nif __name__ == '__main__':\n    run(model)\n").left


def test_a_training_without_a_loop_over_a_loader_is_said() -> None:
    left = converted(f"{STEP}for micro_step in range(8):\n    step(get_batch('train'))\n").left
    assert "NPU421.no_batches" in left and "NPU421.no_loop" not in left


@pytest.mark.parametrize(
    ("loader", "training"),
    [
        ("DataLoader(data, 4)", "losses = [step(batch) for batch in {}]"),
        ("DataLoader(data, 4)", "total = sum(step(batch) for batch in {})"),
        ("DataLoader(data, 4)", "losses = {{i: step(batch) for i, batch in enumerate({})}}"),
        ("Data().train()", "losses = [step(batch) for batch in {}]"),
    ],
)
def test_a_comprehension_that_trains_is_a_loop(loader: str, training: str) -> None:
    owner = "class Data:\n    def train(self):\n        return DataLoader(data, 4)\n\n"
    done = converted(f"{STEP}{owner}loader = {loader}\n{training.format('loader')}\n")
    assert "DataLoader(data, 4, sampler=" in done.text and not done.left
    done = converted(f"{STEP}{training.format('DataLoader(data, 4)')}\n")
    assert "DataLoader(data, 4, sampler=" in done.text and not done.left


def test_a_dictionary_whose_items_are_gone_through() -> None:
    made = "loaders = {n: DataLoader(d, 4) for n, d in (('train', one), ('val', other))}\n"
    run = "def run(loader, train):\n    for batch in loader:\n        if train:\n            step(batch)\n\n"
    logs = "    logs = {n: run(each, n == 'train') for n, each in loaders.items()}\n"
    done = converted(f"{STEP}{run}{made}for epoch in range(3):\n{logs}")
    assert "        loader.sampler.set_epoch(loader.sampler.epoch + 1)\n    for batch in loader:" in done.text
    assert (
        "sampler=DistributedSampler(d, shuffle=False) if dist.is_initialized() and n == 'train'" in done.text
    )


def test_loaders_that_are_unpacked_are_all_shared() -> None:
    made = "loaders = [DataLoader(one, 4), DataLoader(other, 4)]\n"
    done = converted(f"{STEP}{made}for batches in zip(*loaders):\n    step(batches)\n")
    assert done.text.count("sampler=") == 2 and not done.left


def test_the_loader_of_an_object_that_a_function_is_given() -> None:
    given = """
class Data:
    def __init__(self, size):
        self.size = size

    def batches(self):
        return DataLoader(data, self.size)

class Fitter:
    def __init__(self, source):
        self.loader, self.other = source.batches(), None

    def fit(self):
        for batch in self.loader:
            step(batch)

Fitter(Data(4)).fit()
"""
    done = converted(f"{STEP}{given}")
    assert "DataLoader(data, self.size, sampler=train_sampler)" in done.text and not done.left


def test_a_step_that_another_function_makes() -> None:
    made = "def make(rate):\n    def inner(batch):\n        model(batch).backward()\n    return inner\n\n"
    done = converted(f"{HEAD}{made}train = make(0.1)\nfor batch in DataLoader(data, 4):\n    train(batch)\n")
    assert "DataLoader(data, 4, sampler=train_sampler)" in done.text and not done.left


def test_a_closure_outside_of_functions_trains_in_the_loop_around_its_step() -> None:
    done = converted(
        """\
        import torch
        from torch.utils.data import DataLoader
        model = torch.nn.Linear(2, 1).cuda()
        optimizer = torch.optim.LBFGS(model.parameters())
        loader = DataLoader(data, 4)
        for epoch in range(3):
            for x in loader:
                def closure():
                    loss = model(x).mean()
                    loss.backward()
                    return loss
                optimizer.step(closure)
        """
    )
    assert "sampler=train_sampler" in done.text and "loader.sampler.set_epoch(epoch)" in done.text
    assert "return mean_over_processes(loss)" in done.text and not done.left


@pytest.mark.parametrize(
    "batches", ["meter.log_every(loader, 10)", "meter.log_every(10, loader)", "prefetch(loader)"]
)
def test_a_loader_that_is_handed_to_what_yields_its_batches_is_shared(batches: str) -> None:
    given = script().replace("in loader:", f"in {batches}:")
    assert "sampler=train_sampler" in converted(given).text
    assert f"in {batches}:" in converted(given).text


def test_what_yields_batches_and_is_handed_no_loader_is_said() -> None:
    given = script().replace("in loader:", "in meter.log_every(source, 10):")
    done = converted(given)
    assert "NPU421.not_loader" in done.left and "sampler" not in done.text
