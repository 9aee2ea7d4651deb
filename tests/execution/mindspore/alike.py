"""Runs a program beside what it is converted to, from equal weights on equal data, in one process.

``python -m tests.execution.mindspore.alike PROGRAM`` prints both lists of losses and the largest difference
of the parameters as JSON; with ``--graph`` behind it the steps are compiled. MindSpore keeps state of its own
in a process, so each program gets one.
"""

from __future__ import annotations

import atexit
import json
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tools.mindspore_tables.text_modules import module_of

from .pictures import import_torchvision, write_pictures

PROGRAMS = Path(__file__).parents[2] / "mindspore" / "conversion" / "samples"
_RENAMED = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
    "embedding_table": "weight",
    "w": "weight",
}
"""Parameters of MindSpore's layers by the name that torch has for them."""
_random = np.random.RandomState(3)


def _floats(*shape: int) -> Any:
    return _random.randn(*shape).astype("float32")


def _integers(end: int, *shape: int) -> Any:
    return _random.randint(0, end, shape).astype("int64")


def _pictures() -> str:
    """A folder of datasets for torchvision."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    write_pictures(Path(folder))
    return folder


DATA: dict[str, Callable[[], Any]] = {
    "resnet": lambda: [(_floats(4, 3, 32, 32), _integers(10, 4)) for _ in range(3)],
    "mnist": lambda: [(_floats(4, 1, 28, 28), _integers(10, 4)) for _ in range(3)],
    "cnn": lambda: [(_floats(4, 3, 16, 16), _integers(10, 4)) for _ in range(3)],
    "gpt": lambda: [(_integers(11, 2, 8), _integers(11, 2, 8)) for _ in range(8)],
    "tagger": lambda: [(_integers(9, 5), _integers(3, 5)) for _ in range(3)],
    "trainer": lambda: [(_floats(5, 6), _integers(3, 5)) for _ in range(3)],
    "accumulation": lambda: [(_floats(5, 5), _floats(5, 1)) for _ in range(6)],
    "mixed": lambda: [(_floats(5, 6), _integers(4, 5)) for _ in range(3)],
    "scaled": lambda: [(_floats(5, 6), _integers(4, 5)) for _ in range(3)],
    "losses": lambda: [(_floats(5, 6), _integers(4, 5), _floats(5, 2)) for _ in range(3)],
    "loading": lambda: (_floats(14, 1, 8, 8), _integers(10, 14)),
    "pictures": lambda: _pictures(),
    "dcgan": lambda: ([_floats(4, 3, 16, 16) for _ in range(3)], [_floats(4, 5, 1, 1) for _ in range(3)]),
    "penalty": lambda: [(_floats(5, 4), _floats(5, 4), abs(_floats(5, 1)) % 1) for _ in range(3)],
    "wgan": lambda: (
        [(_floats(5, 6), abs(_floats(5, 1)) % 1) for _ in range(4)],
        [_floats(5, 3) for _ in range(4)],
    ),
}
"""What each program trains on."""


def _tensors(data: Any, make: Callable[[Any], Any]) -> Any:
    if isinstance(data, (np.ndarray, str)):
        return make(data) if isinstance(data, np.ndarray) else data
    return type(data)(_tensors(item, make) for item in data)


def _module(name: str, text: str) -> dict[str, Any]:
    return vars(module_of(name, text))


def _models(name: str, program: dict[str, Any]) -> Sequence[Any]:
    if name == "mnist":
        return (program["Net"](),)
    if name == "wgan":
        return program["Generator"](3, 6), program["Discriminator"](6)
    if name == "dcgan":
        models = program["Generator"](5, 4, 3), program["Discriminator"](3, 4)
        for model in models:
            model.apply(program["weights_init"])
        return models
    return (program["build"](),)


def _trained(name: str, program: dict[str, Any], models: Sequence[Any], data: Any) -> list[float]:
    losses: list[float] = []
    if name == "mnist":
        program["main"](["--epochs", "1"], models[0], data, losses)
    elif name == "pictures":
        program["main"]([], models[0], data, losses)
    elif name in ("dcgan", "wgan"):
        program["train"](*models, *data, losses)
    else:
        program["train"](models[0], data, losses)
    return losses


def renamed(name: str) -> str:
    """What torch calls a parameter of MindSpore's."""
    owner, _, last = re.sub(r"\bdense([12])\b", r"linear\1", name).rpartition(".")
    return f"{owner}.{_RENAMED.get(last, last)}"


def _pairs(first: Any, second: Any) -> Any:
    """Torch's tensor and MindSpore's parameter, of all that both have."""
    state = first.state_dict()
    for name, parameter in second.parameters_and_names():
        owner, _, last = name.rpartition(".")
        yield state[name if name in state else f"{owner}.{_RENAMED[last]}"], parameter


def main() -> None:
    """Run the program that the first argument names."""
    warnings.simplefilter("ignore")
    import mindspore
    import torch

    from tests.mindspore.conversion.converting import converted

    from .helper_files import provide

    mindspore.runtime.launch_blocking()
    name = sys.argv[1]
    text = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")
    if "torchvision" in text:
        import_torchvision()
    data = DATA[name]()
    answer = converted(text, target="mindspore", graph="--graph" in sys.argv)
    provide(answer.parts)
    before, after = _module("before", text), _module("after", answer.text)
    torch.manual_seed(0)
    firsts, seconds = _models(name, before), _models(name, after)
    for first, second in zip(firsts, seconds, strict=True):
        for tensor, parameter in _pairs(first, second):
            parameter.set_data(mindspore.Tensor(tensor.numpy().reshape(parameter.shape).copy()))
    expected = _trained(name, before, firsts, _tensors(data, torch.tensor))
    losses = _trained(name, after, seconds, _tensors(data, mindspore.Tensor))
    differences = [
        float(abs(tensor.numpy().reshape(parameter.shape) - parameter.asnumpy()).max())
        for first, second in zip(firsts, seconds, strict=True)
        for tensor, parameter in _pairs(first, second)
    ]
    print(json.dumps({"torch": expected, "mindspore": losses, "parameters": max(differences)}))


if __name__ == "__main__":
    main()
