"""Justfiles: variables and parameters, and recipes whose interpolations are variables of a shell."""

from __future__ import annotations

from gpu2ascend_rules.kinds.registry import kind_file, kind_of_name
from gpu2ascend_rules.kinds.shell.places import Command, Use, Variable

TEXT = (
    "device := \"cuda\"\n# python other.py\ntrain dev='nccl' name=device:\n"
    "    @python train.py --device {{ device }} {{dev}} {{ a + b }}\nall: train\n"
)


def _places() -> tuple[object, ...]:
    file = kind_file("justfile", TEXT)
    assert file is not None
    return tuple(file.places())


def test_the_name_shows_the_kind() -> None:
    found = [kind_of_name(path) for path in ("justfile", "tools/Justfile", "ci.just")]
    assert {kind.name for kind in found if kind is not None} == {"justfile"}


def test_variables_and_parameters_that_are_texts_are_set() -> None:
    places = [item for item in _places() if isinstance(item, Variable)]
    given = [
        (item.name, item.value.text) for item in places if item.use is Use.SET and item.value is not None
    ]
    assert given == [("device", "cuda"), ("dev", "nccl")]
    value = places[0].value
    assert value is not None and TEXT[value.start : value.end] == "cuda"


def test_recipes_are_shell_code_in_which_interpolations_are_variables() -> None:
    [command] = [item for item in _places() if isinstance(item, Command)]
    words = [word.raw for word in command.words]
    assert words[:5] == ["python", "train.py", "--device", "${device}", "${dev}"]
    assert "other.py" not in words and command.start == TEXT.index("python train")
