"""Which loops of a file the detector of dynamic shapes watches."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.detection.loops import watched
from gpu2ascend_rules.text.source_file import SourceFile

IMPORT = "from msft_dynamic_analysis import DETECTOR\n"
BODY = "    loss.backward()\n"


def text_of(text: str, path: str = "train.py") -> str:
    found = watched(SourceFile(text, path))
    return text if found is None else found.text.replace(IMPORT, "")


@pytest.mark.parametrize(
    ("loop", "after"),
    [
        ("for x in train_loader:", "for x in DETECTOR.start(train_loader):"),
        ("for i, (x, y) in enumerate(loader):", "for i, (x, y) in DETECTOR.start(enumerate(loader)):"),
        ("for x in tqdm(self.dataloader):", "for x in DETECTOR.start(tqdm(self.dataloader)):"),
    ],
)
def test_a_loop_over_a_loader_is_watched(loop: str, after: str) -> None:
    assert text_of(f"{loop}\n    pass\n") == f"{after}\n    pass\n"


def test_a_loop_that_goes_backward_is_watched_whatever_it_iterates_over() -> None:
    text = "for i in range(9):\n" + BODY
    assert text_of(text) == "for i in DETECTOR.start(range(9)):\n" + BODY


def test_of_loops_in_each_other_that_over_batches_is_watched() -> None:
    text = f"for epoch in range(9):\n    for x in loader:\n    {BODY}"
    assert text_of(text) == text.replace("loader", "DETECTOR.start(loader)")


def test_an_iterator_over_a_loader_is_watched() -> None:
    text = "it = iter(self.train_loader)\nother = iter(names)\nx = next(it)\n"
    assert text_of(text) == text.replace("(self.train_loader)", "(DETECTOR.start(self.train_loader))")


@pytest.mark.parametrize(
    "loop", ["for name in names:", "for i in range(len(loader)):", "async for x in loader:"]
)
def test_other_loops_stay(loop: str) -> None:
    text = f"async def f():\n    {loop}\n        pass\n"
    assert text_of(text) == text
    both = text + "for x in loader:\n    pass\n"
    assert text_of(both).startswith(text) and text_of(both) != both


def test_what_is_watched_stays_as_it_is() -> None:
    once = watched(SourceFile("import torch\nfor x in loader:\n    pass\n", "a.py"))
    assert once is not None
    assert once.lines == (2,)
    assert once.text.splitlines()[:2] == ["import torch", IMPORT.strip()]
    assert watched(SourceFile(once.text, "a.py")) is None
    assert watched(SourceFile(once.text, "msft_dynamic_analysis/hook.py")) is None


SAMPLER = (
    "class PairSampler:\n    def drawn(self):\n        for batch in self.batches:\n            yield batch\n"
)


def test_a_loop_of_a_sampler_or_a_data_set_is_none_over_batches_of_a_model() -> None:
    assert text_of(SAMPLER) == SAMPLER
    assert text_of(SAMPLER.replace("PairSampler", "Trainer")) != SAMPLER.replace("PairSampler", "Trainer")


def test_a_class_that_trains_is_watched_whatever_it_is_called() -> None:
    text = "class DataTrainer:\n    def fit(self):\n        for x in self.loader:\n        " + BODY
    assert text_of(text) == text.replace("self.loader", "DETECTOR.start(self.loader)")


def test_an_iterator_that_gives_one_batch_is_not_watched() -> None:
    text = "x, y = next(iter(loader))\n"
    assert text_of(text) == text
    assert text_of("it = iter(loader)\n" + text) == "it = iter(DETECTOR.start(loader))\n" + text


@pytest.mark.parametrize("path", ["tests/test_data.py", "package/conftest.py", "test_loader.py"])
def test_unit_tests_are_not_watched_but_programs_that_test_a_model_are(path: str) -> None:
    text = "for x in loader:\n    pass\n"
    assert text_of(text, path) == text
    program = "if __name__ == '__main__':\n    for x in loader:\n        pass\n"
    assert text_of(program, path) == program.replace("loader", "DETECTOR.start(loader)")
