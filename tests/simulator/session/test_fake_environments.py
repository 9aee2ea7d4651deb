"""Environments whose simulators are not here are made up, in the way of the release of gym."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from gpu2ascend_simulator.session.fake_data.environments import make_up_environments


class Box(NamedTuple):
    """As the space of gym."""

    low: float
    high: float
    shape: tuple[int, ...]
    dtype: str = "float32"

    def seed(self, seed: int) -> None:
        """It is not random."""

    def sample(self) -> Any:
        """What stands for an array."""
        return self.shape


class Env:
    """As the base class of gym."""

    @property
    def unwrapped(self) -> Env:
        """Itself."""
        return self


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the project."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gym(
    name: str = "gym", version: str = "0.25.2", fails: Callable[[], None] = lambda: None
) -> tuple[Any, list[str]]:
    """A package that only has one environment, and what was noted."""

    def make(id: str, **_: object) -> str:
        if id != "CartPole-v1":
            fails()
            raise RuntimeError("no simulator")
        return "real"

    spaces = SimpleNamespace(Box=Box, Discrete=lambda count: count)
    registration = SimpleNamespace(make=make, EnvSpec=SimpleNamespace)
    module = SimpleNamespace(make=make, Env=Env, spaces=spaces, __name__=name, __version__=version)
    module.envs = SimpleNamespace(registration=registration)
    noted: list[str] = []
    make_up_environments(module, noted.append)
    return module, noted


@pytest.mark.parametrize(
    ("name", "shape", "actions"),
    [
        ("HalfCheetah-v2", (17,), Box(-1.0, 1.0, (6,))),
        ("LunarLander-v2", (8,), 4),
        ("PongNoFrameskip-v4", (210, 160, 3), 6),
        ("ALE/Breakout-v5", (210, 160, 3), 4),
        ("Pong-ram-v0", (128,), 6),
    ],
)
def test_spaces_are_those_of_the_name(name: str, shape: tuple[int, ...], actions: object) -> None:
    module, noted = gym()
    made = module.make(name)
    assert (made.observation_space.shape, made.action_space) == (shape, actions)
    assert noted == [f"gym {name} (observations {' x '.join(map(str, shape))}, rewards of -1 to 1 in turn)"]


def test_before_026_a_step_gives_four_values_and_a_reset_one() -> None:
    made = gym()[0].make("Hopper-v2")
    assert (made.reset(), made.step(0)) == ((11,), ((11,), 0.0, False, {}))


@pytest.mark.parametrize(("name", "version"), [("gym", "0.26.2"), ("gymnasium", "1.2.0")])
def test_later_a_step_gives_five_values_and_a_reset_two(name: str, version: str) -> None:
    made = gym(name, version)[0].make("Hopper-v4")
    assert (made.reset(seed=1), made.step(0)) == (((11,), {}), ((11,), 0.0, False, False, {}))


def test_an_episode_ends() -> None:
    made = gym()[0].make("Hopper-v2")
    made.reset()
    assert sum(made.step(0)[2] for _ in range(made._max_episode_steps)) == 1


def test_what_wrappers_of_games_ask_for_is_there() -> None:
    made = gym()[0].make("BreakoutNoFrameskip-v4")
    assert (made.spec.id, made.ale.lives()) == ("BreakoutNoFrameskip-v4", 3)
    assert made.unwrapped.get_action_meanings() == ["NOOP", "FIRE", "UP", "RIGHT"]


def test_what_is_here_is_made() -> None:
    module, noted = gym()
    assert (module.make("CartPole-v1"), noted) == ("real", [])


def test_what_the_project_raises_is_its_own(folder: Path) -> None:
    source = "def fails():\n    raise RuntimeError('its own')\n"
    (folder / "own.py").write_text(source, encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(source, str(folder / "own.py"), "exec"), names)
    with pytest.raises(RuntimeError, match="its own"):
        gym(fails=names["fails"])[0].make("Hopper-v2")


def test_wrong_arguments_are_no_missing_simulator() -> None:
    def fails() -> None:
        raise TypeError("unexpected keyword")

    with pytest.raises(TypeError, match="unexpected"):
        gym(fails=fails)[0].make("Hopper-v2")


def test_an_action_that_is_no_array_is_refused() -> None:
    class OnDevice:
        def __array__(self, *_: object, **__: object) -> Any:
            raise TypeError("on the device")

    made = gym()[0].make("Hopper-v2")
    with pytest.raises(TypeError, match="on the device"):
        made.step(OnDevice())


def test_of_an_unknown_name_nothing_is_made_up() -> None:
    with pytest.raises(RuntimeError, match="no simulator"):
        gym()[0].make("Atlantis-v0")
