"""Weights that are not here are random, whichever way a project loads them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data.weights import make_up_weights, weights_called

URL = "https://host.example/models/net-1234.pth"
Loads = Callable[["Module", Any], None]


class Module:
    """As a module of torch with one parameter."""

    def __init__(self) -> None:
        self.value = "random"

    def state_dict(self) -> dict[str, str]:
        """The parameter."""
        return {"value": self.value}

    def load_state_dict(self, state_dict: dict[str, str], strict: bool = True) -> None:
        """Load the parameter, which must be there."""
        self.value = state_dict["value"]


@pytest.fixture
def torch(tmp_path: Path) -> Any:
    """A module like torch, whose downloaded weights are in a folder; what was noted."""
    own = type("Module", (Module,), {"load_state_dict": Module.load_state_dict})
    made = SimpleNamespace(
        hub=SimpleNamespace(
            load_state_dict_from_url=lambda url, *args: {"value": "learnt"}, get_dir=lambda: str(tmp_path)
        ),
        nn=SimpleNamespace(Module=own),
        noted=[],
    )
    make_up_weights(made, made.noted.append)
    return made


@pytest.mark.parametrize(
    "load",
    [
        lambda module, weights: module.load_state_dict(weights),
        lambda module, weights: module.load_state_dict(weights["model"]["state_dict"]),
        lambda module, weights: module.load_state_dict(weights.get("state_dict", weights), strict=False),
        lambda module, weights: module.load_state_dict({name[2:]: one for name, one in weights.items()}),
    ],
)
def test_a_module_keeps_what_it_was_made_with(torch: Any, load: Loads) -> None:
    module = torch.nn.Module()
    load(module, torch.hub.load_state_dict_from_url(URL, progress=True))
    assert (module.value, torch.noted) == ("random", ["weights net-1234.pth: random"])


def test_weights_that_are_here_are_loaded(torch: Any, tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "net-1234.pth").touch()
    module = torch.nn.Module()
    module.load_state_dict(torch.hub.load_state_dict_from_url(URL))
    assert (module.value, torch.noted) == ("learnt", [])


def test_what_is_empty_without_a_download_is_an_error_as_ever(torch: Any) -> None:
    with pytest.raises(KeyError):
        torch.nn.Module().load_state_dict({})


def test_what_weights_do_not_have_is_said_of_what_was_made_up() -> None:
    noted: list[str] = []
    weights = weights_called("data/train", noted.append, "train.py:3")
    with pytest.raises(AttributeError, match="in place of data/train: no 'shape' is known"):
        weights["images"].shape  # noqa: B018
    assert noted == ["weights data/train: random (read at train.py:3)"]
