"""Of the loaders that reach one loop those that are trained from are shared; those of an evaluation not."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted

HEAD = "import torch\nfrom torch.utils.data import DataLoader\n\n"


def shared(code: str) -> list[str]:
    """The data sets whose loaders get a sampler."""
    done = converted(f'{HEAD}{code}\nif __name__ == "__main__":\n    main(parse())\n')
    return [
        name for name in ("photos", "paintings", "held_back") if f"DistributedSampler({name}" in done.text
    ]


RUN = """\
def run(model, loader, {parameter}):
    for x in loader:
        loss = model(x)
        if {condition}:
            loss.backward()

def main(args):
    model = Net()
    ours = DataLoader(photos, 4)
    theirs = DataLoader(held_back, 4)
    for epoch in range(3):
        {first}
        {second}
"""


@pytest.mark.parametrize(
    ("parameter", "condition", "first", "second"),
    [
        pytest.param(
            "optimizer=None",
            "optimizer is not None",
            "run(model, ours, opt)",
            "run(model, theirs)",
            id="left at None",
        ),
        pytest.param(
            "optimizer",
            "optimizer is not None",
            "run(model, ours, opt)",
            "run(model, theirs, None)",
            id="given None",
        ),
        pytest.param(
            "training",
            "training",
            "run(model, ours, True)",
            "run(model, theirs, training=False)",
            id="given False",
        ),
        pytest.param(
            "training=False",
            "training",
            "run(model, ours, training=True)",
            "run(model, theirs)",
            id="left at False",
        ),
        pytest.param("lr", "lr > 0", "run(model, ours, 0.1)", "run(model, theirs, 0)", id="given 0"),
        pytest.param(
            "phase",
            "phase == 'train'",
            "run(model, ours, 'train')",
            "run(model, theirs, 'val')",
            id="named by a text",
        ),
        pytest.param(
            "phase",
            "phase == 'train'",
            "run(model, ours, 'train')",
            "run(model, theirs, 'evaluation')",
            id="by another",
        ),
    ],
)
def test_a_call_that_turns_training_off_shares_nothing(
    parameter: str, condition: str, first: str, second: str
) -> None:
    code = RUN.format(parameter=parameter, condition=condition, first=first, second=second)
    assert shared(code) == ["photos"]


@pytest.mark.parametrize(
    ("parameter", "condition", "first", "second"),
    [
        pytest.param(
            "training",
            "training",
            "run(model, ours, True)",
            "run(model, theirs, True)",
            id="both calls train",
        ),
        pytest.param(
            "verbose",
            "loss > 0",
            "run(model, ours, True)",
            "run(model, theirs, False)",
            id="another parameter",
        ),
        pytest.param(
            "phase",
            "phase == 'a'",
            "run(model, ours, 'a')",
            "run(model, theirs, 'b')",
            id="texts that say nothing",
        ),
        pytest.param(
            "training=True",
            "training",
            "run(model, ours)",
            "run(model, theirs)",
            id="left at what turns it on",
        ),
    ],
)
def test_calls_that_train_share_both(parameter: str, condition: str, first: str, second: str) -> None:
    code = RUN.format(parameter=parameter, condition=condition, first=first, second=second)
    assert shared(code) == ["photos", "held_back"]


def test_a_condition_that_excludes_the_gradients_is_no_switch() -> None:
    """In the ``else`` of a condition its parameter turns training off, not on."""
    code = RUN.format(
        parameter="quiet",
        condition="quiet",
        first="run(model, ours, False)",
        second="run(model, theirs, False)",
    ).replace("            loss.backward()", "            pass\n        else:\n            loss.backward()")
    assert shared(code) == ["photos", "held_back"]


def test_a_condition_around_a_call_of_another_function_is_no_switch() -> None:
    """What computes the gradients is told by the parameters of the function that holds the loop alone."""
    code = RUN.format(
        parameter="quiet",
        condition="loss > 0",
        first="run(model, ours, 1)",
        second="run(model, theirs, False)",
    ).replace("loss.backward()", "step(loss, quiet)")
    step = "def step(loss, quiet):\n    if quiet:\n        loss.backward()\n\n"
    assert shared(step + code) == ["photos", "held_back"]


def test_a_call_without_gradients_only_evaluates() -> None:
    code = RUN.format(
        parameter="verbose",
        condition="loss.requires_grad",
        first="run(model, ours, True)",
        second="with torch.no_grad():\n            run(model, theirs, True)",
    )
    assert shared(code) == ["photos"]


def test_a_call_in_another_context_trains() -> None:
    code = RUN.format(
        parameter="verbose",
        condition="loss.requires_grad",
        first="run(model, ours, True)",
        second="with torch.enable_grad():\n            run(model, theirs, True)",
    )
    assert shared(code) == ["photos", "held_back"]


PHASES = """\
def main(args):
    model = Net()
    loaders = {{{train!r}: DataLoader(photos, 4), {other!r}: DataLoader(held_back, 4)}}
    for epoch in range(3):
        for phase in loaders:
            for x in loaders[phase]:
                model(x).backward()
"""


@pytest.mark.parametrize(
    "other", ["val", "valid", "validation", "test", "eval", "dev", "test_set", "val loader"]
)
def test_a_key_names_the_loader_of_an_evaluation(other: str) -> None:
    assert shared(PHASES.format(train="train", other=other)) == ["photos"]


@pytest.mark.parametrize("other", ["more", "values", "latest", "develop", "contest"])
def test_a_key_that_only_resembles_it_does_not(other: str) -> None:
    assert shared(PHASES.format(train="train", other=other)) == ["photos", "held_back"]


def test_where_every_name_is_of_an_evaluation_all_are_trained_from() -> None:
    assert shared(PHASES.format(train="test", other="val")) == ["photos", "held_back"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("val_loader", ["photos"]), ("testloader", ["photos"]), ("other_loader", ["photos", "held_back"])],
)
def test_a_variable_names_the_loader_of_an_evaluation(name: str, expected: list[str]) -> None:
    code = f"""\
def run(model, loader):
    for x in loader:
        model(x).backward()

def main(args):
    model = Net()
    train_loader = DataLoader(photos, 4)
    {name} = DataLoader(held_back, 4)
    for epoch in range(3):
        run(model, train_loader)
        run(model, {name})
"""
    assert shared(code) == expected


@pytest.mark.parametrize(
    ("code", "trained"),
    [
        pytest.param("loss = train(model, ours)", ["photos", "held_back"], id="training"),
        pytest.param(
            "with torch.no_grad():\n            loss = train(model, ours)", ["held_back"], id="none"
        ),
    ],
)
def test_a_call_without_gradients_shares_nothing(code: str, trained: list[str]) -> None:
    train = "def train(model, loader):\n    for x in loader:\n        model(x).backward()\n\n"
    makes = "    ours = DataLoader(photos, 4)\n    theirs = DataLoader(held_back, 4)\n"
    calls = f"    for epoch in range(3):\n        {code}\n        train(model, theirs)\n"
    assert shared(f"{train}def main(args):\n    model = Net()\n{makes}{calls}") == trained


def test_a_condition_of_a_step_that_is_inverted_is_no_switch() -> None:
    """Only what must hold for gradients is: below ``else`` the parameter says the contrary."""
    code = RUN.format(
        parameter="skip=False",
        condition="skip:\n            continue\n        else",
        first="run(model, ours)",
        second="run(model, theirs, True)",
    )
    assert "photos" in shared(code)
