"""Where all processes come by: a wait below a condition that they answer differently never ends."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.rules.codemods.distributed.alike.asking import asked


def is_common(text: str, **modules: str) -> bool:
    """Whether all processes come by ``ask()``."""
    job, call = asked(text, modules)
    return job.meeting.is_common(call)


def lines_before(text: str) -> list[str]:
    """The first lines of the statements that all come by, at or around ``ask()``."""
    job, call = asked(text)
    return [place.text.splitlines()[0] for place in job.meeting.before(call)]


AROUND = {
    "a loop over numbers": "for i in range(9):\n    {}",
    "a loop over batches": "batches = DataLoader()\nfor x in batches:\n    {}",
    "a loop over numbered batches": "batches = DataLoader()\nfor i, x in enumerate(tqdm(batches)):\n    {}",
    "a loop over batches with a bar of one's own":
        "batches = make_loader(data)\nfor x in bar.track(batches, 'epoch'):\n    {}",
    "a loop over batches and numbers": "batches = DataLoader()\nfor x, i in zip(batches, range(9)):\n    {}",
    "a loop over numbered batches with a bar of one's own":
        "batches = DataLoader()\nfor i, x in bar.track(enumerate(batches), 'epoch'):\n    {}",
    "a loop over literals at once": "for a, b in zip((1, 2), args.names):\n    {}",
    "a loop over a numbered list of objects": "stages = [Stage(2)]\nfor i, one in enumerate(stages):\n    {}",
    "a loop over numbered items of a generator":
        "def folds(k):\n    for i in range(k):\n        yield i\nfor i, one in enumerate(folds(5)):\n    {}",
    "a loop over a literal": "for name in ('a', 'b'):\n    {}",
    "a loop without a condition": "while True:\n    {}",
    "an option": "if args.save:\n    {}",
    "the absence of an option": "if args.fast:\n    pass\nelse:\n    {}",
    "a second option": "if args.fast:\n    pass\nelif args.save:\n    {}",
    "a number of a round": "for epoch in range(9):\n    if epoch % 3 == 0:\n        {}",
    "a context": "with torch.no_grad():\n    {}",
    "what may go wrong": "try:\n    {}\nexcept ValueError:\n    pass",
}  # fmt: skip

BELOW_DOUBT = {
    "a loop over files": "for name in os.listdir('.'):\n    {}",
    "a loop over files by a pattern": "for name in glob.glob(f'{{args.folder}}/*.pt'):\n    {}",
    "a loop over files and batches": "b = DataLoader()\nfor name, x in zip(os.listdir('.'), b):\n    {}",
    "a loop over what is not known": "for item in items():\n    {}",
    "a loop over what is not known, numbered": "for i, item in enumerate(items()):\n    {}",
    "a loop while a figure is good": "while train() > 1:\n    {}",
    "a figure": "if train() > 1:\n    {}",
    "no figure": "if train() > 1:\n    pass\nelse:\n    {}",
    "an option behind a figure": "if train() > 1:\n    pass\nelif args.save:\n    {}",
    "a figure behind an option": "if args.save:\n    pass\nelif train() > 1:\n    {}",
    "what went wrong": "try:\n    train()\nexcept ValueError:\n    {}",
    "what is done at the end": "try:\n    train()\nfinally:\n    {}",
    "a case": "match train():\n    case 1:\n        {}",
}


IMPORTS = "import glob\nimport os\nfrom torch.utils.data import DataLoader\n"


def place(around: str) -> str:
    """A program that asks below what is given."""
    return IMPORTS + around.format("ask()") + "\n"


@pytest.mark.parametrize("name", AROUND)
def test_all_come_by_below(name: str) -> None:
    assert is_common(place(AROUND[name]))


@pytest.mark.parametrize("name", BELOW_DOUBT)
def test_not_all_come_by_below(name: str) -> None:
    assert not is_common(place(BELOW_DOUBT[name]))


@pytest.mark.parametrize("name", BELOW_DOUBT)
def test_around_what_is_doubtful_all_come_by(name: str) -> None:
    """The outermost statement of doubt is the place to wait at, and nothing below it."""
    around = BELOW_DOUBT[name]
    inner = indent(around.format("ask()"), "    ")
    (found,) = lines_before(f"{IMPORTS}for epoch in range(9):\n{inner}\n")
    assert found in around.format("ask()").splitlines()
    assert found.startswith(("for", "while", "if", "try", "match"))


@pytest.mark.parametrize("name", AROUND)
def test_doubt_further_out_is_not_forgotten(name: str) -> None:
    inner = indent(AROUND[name].format("ask()"), "    ")
    assert lines_before(f"{IMPORTS}if train() > 1:\n{inner}\n") == ["if train() > 1:"]


def test_all_come_by_a_function_that_all_call() -> None:
    assert is_common("def save():\n    ask()\nsave()\n")
    assert is_common(
        "def save():\n    ask()\ndef main():\n    save()\nif __name__ == '__main__':\n    main()\n"
    )
    assert not is_common("def save():\n    ask()\nif train() > 1:\n    save()\n")
    assert not is_common("def save():\n    ask()\nsave()\nif train() > 1:\n    save()\n")


def test_the_callers_of_a_function_that_not_all_call_are_where_all_come_by() -> None:
    text = "def save():\n    ask()\ndef main():\n    if train() > 1:\n        save()\nmain()\n"
    assert lines_before(text) == ["if train() > 1:"]


@pytest.mark.parametrize("name", ["main", "run", "train"])
def test_of_functions_that_nothing_calls_those_that_start_a_program_are_entered_by_all(name: str) -> None:
    assert is_common(f"def {name}():\n    ask()\n")
    assert not is_common(f"def {name}_later():\n    ask()\n")


def test_what_is_called_later_or_by_others_is_not_common() -> None:
    assert is_common("call(ask())\n")
    assert not is_common("call(lambda: ask())\n")
    assert lines_before("class Saving:\n    ask()\n") == []


FIRED = """
class Stop:
    def on_start(self):
        pass
    def on_end(self, figure):
        ask(figure)
class Trainer:
    def __init__(self, callbacks):
        self.callbacks = list(callbacks)
    def fire(self, event, *given):
        for callback in self.callbacks:
            getattr(callback, event)(*given)
    def fit(self):
        self.fire(EVENT, 2)
        if unknown():
            self.fire("on_start")
Trainer([Stop()]).fit()
"""


def test_of_those_who_call_by_a_name_only_they_count_who_may_give_it() -> None:
    assert is_common(FIRED.replace("EVENT", '"on_end"'))
    assert not is_common(FIRED.replace("EVENT", '"on_end"').replace('"on_start")', '"on_end", 1)'))
    assert not is_common(FIRED.replace("EVENT", '"on_end"').replace('"on_start")', "event)"))


@pytest.mark.parametrize(
    "loop",
    [
        "from sklearn.model_selection import KFold\nfor i, _ in enumerate(KFold({}).split(data)):\n    ask()",
        "import numpy as np\nfor part in np.array_split(np.arange({}), 3):\n    ask()",
    ],
)
def test_folds_are_as_many_as_they_are_told_to_be(loop: str) -> None:
    assert is_common(loop.format(5))
    assert not is_common(loop.format("unknown()"))
