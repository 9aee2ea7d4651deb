"""One of several processes that train a program, in torch or as what it is converted to.

``python -m tests.execution.mindspore.parallel FRAMEWORK PROGRAM FOLDER`` writes what the process saw into
FOLDER as JSON; with ``--graph`` behind them MindSpore's steps are compiled. The processes begin with weights
of their own, so that they are equal only where the program makes them so.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .alike import PROGRAMS, _module, _tensors, renamed

BATCHES = 6


def _batches() -> Any:
    random = np.random.RandomState(3)
    return [
        (random.randn(5, 6).astype("float32"), random.randint(0, 4, 5).astype("int64"))
        for _ in range(BATCHES)
    ]


def _weights(shapes: dict[str, Any], rank: int) -> dict[str, Any]:
    random = np.random.RandomState(7 + rank)
    return {name: (random.randn(*shapes[name]) / 3).astype("float32") for name in sorted(shapes)}


def with_torch(text: str) -> tuple[list[float], dict[str, Any]]:
    """The losses of this process, and the weights in the end."""
    import torch

    program = _module("before", text)
    model, losses = program["build"](), []
    state = {name: list(one.shape) for name, one in model.state_dict().items()}
    made = _weights(state, int(os.environ["RANK"]))
    model.load_state_dict({name: torch.tensor(one) for name, one in made.items()})
    program["train"](model, _tensors(_batches(), torch.tensor), losses)
    return losses, {name: one.detach().numpy() for name, one in model.state_dict().items()}


def with_mindspore(text: str, *, graph: bool) -> tuple[list[float], dict[str, Any]]:
    """The same by MindSpore."""
    import mindspore

    from tests.mindspore.conversion.converting import converted

    from .helper_files import provide

    answer = converted(text, target="mindspore", distributed=True, graph=graph)
    assert not answer.blockers, answer.blockers
    provide(answer.parts)
    program = _module("after", answer.text)
    model, losses = program["build"](), []
    parameters = {renamed(name): one for name, one in model.parameters_and_names()}
    made = _weights({name: list(one.shape) for name, one in parameters.items()}, int(os.environ["RANK_ID"]))
    for name, parameter in parameters.items():
        parameter.set_data(mindspore.Tensor(made[name]))
    program["train"](model, _tensors(_batches(), mindspore.Tensor), losses)
    return losses, {name: one.asnumpy() for name, one in parameters.items()}


def main() -> None:
    """Train, and write down what came of it."""
    warnings.simplefilter("ignore")
    framework, name, folder = sys.argv[1:4]
    text = (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")
    graph = "--graph" in sys.argv
    losses, weights = with_torch(text) if framework == "torch" else with_mindspore(text, graph=graph)
    rank = os.environ["RANK" if framework == "torch" else "RANK_ID"]
    shown = {"losses": losses, "weights": {one: value.tolist() for one, value in sorted(weights.items())}}
    (Path(folder) / f"{framework}{rank}.json").write_text(json.dumps(shown), encoding="utf-8")


if __name__ == "__main__":
    main()
