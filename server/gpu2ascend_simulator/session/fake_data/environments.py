"""``make`` of gym and gymnasium that makes up environments whose simulators are not here."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import re
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from . import Note, rows
from .files.callers import is_inside

_STEPS = 200
"""Of an episode."""
_KINDS = re.compile(r"(?:.*[/:])?(\w+?)(-ram)?(?:NoFrameskip|Deterministic)?(?:-v\d+)?")
_RAM = (128,)
_BYTES = 255
_MEANINGS = ("NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN")
_LIVES = 3


class _Kind(NamedTuple):
    shape: tuple[int, ...]
    is_real: bool
    actions: int


def make_up_environments(module: Any, note: Note) -> None:
    """Change ``make`` of the package, for good: what it can make is made."""
    if not all(hasattr(module, name) for name in ("make", "Env", "spaces")):
        return
    known = {
        name: _Kind(tuple(map(int, shape.split(","))), actions[0] == "r", int(actions[1:]))
        for name, shape, actions in rows("environments.tsv")
    }
    original, root = module.make, str(Path.cwd())

    @functools.wraps(original)
    def make(id: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(id, *args, **kwargs)
        except Exception as error:  # each release has its own for each of what may be missing
            found = _KINDS.fullmatch(str(id))
            kind = known.get(found[1]) if found is not None else None
            if found is None or kind is None or _is_of_project(error, root):
                raise
            kind = kind._replace(shape=_RAM) if found[2] else kind
            shape = " x ".join(map(str, kind.shape))
            note(f"{module.__name__} {id} (observations {shape}, rewards of -1 to 1 in turn)")
            return _environment(module, str(id), kind, kwargs)

    module.make = module.envs.registration.make = make


def _is_of_project(error: BaseException, root: str) -> bool:
    """Whether what is wrong is not that something is missing: the project's own code raised, or arguments are
    wrong."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    made = itertools.islice(frames, 1, None)
    return isinstance(error, TypeError) or any(is_inside(frame.f_code.co_filename, root) for frame in made)


def _environment(module: Any, id: str, kind: _Kind, given: dict[str, Any]) -> Any:
    made = type("MadeUpEnvironment", (_Answers, module.Env), {})()
    is_bytes = kind.shape == _RAM or len(kind.shape) > 1
    ends = (0, _BYTES, kind.shape, "uint8") if is_bytes else (-float("inf"), float("inf"), kind.shape)
    made.observation_space = module.spaces.Box(*ends)
    made.action_space = (
        module.spaces.Box(-1.0, 1.0, (kind.actions,))
        if kind.is_real
        else module.spaces.Discrete(kind.actions)
    )
    made.observation_space.seed(0)
    made.kind = kind
    made.render_mode = given.get("render_mode")
    version = tuple(map(int, re.findall(r"\d+", getattr(module, "__version__", ""))[:2]))
    made.has_two_ends = module.__name__ != "gym" or version >= (0, 26)
    with contextlib.suppress(Exception):  # an id that this release does not take
        made.spec = module.envs.registration.EnvSpec(
            id=id, entry_point="builtins:object", max_episode_steps=_STEPS
        )
    return made


class _Answers:
    """What an environment is asked, in the way of the release that it is made in."""

    kind: _Kind
    has_two_ends: bool
    observation_space: Any
    ale = SimpleNamespace(
        lives=lambda: _LIVES, getScreenGrayscale=lambda _: None, getScreenRGB=lambda _: None
    )
    _max_episode_steps, _frameskip = _STEPS, 1
    """What wrappers ask for."""
    _taken = 0

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Observations are always the same ones."""
        return [seed]

    def reset(self, **_: Any) -> Any:
        """The first observation of an episode."""
        self._taken = 0
        first = self.observation_space.sample()
        return (first, {}) if self.has_two_ends else first

    def step(self, action: Any) -> tuple[Any, ...]:
        """The next observation, which no action changes; what is no array is refused, as simulators do."""
        if self.kind.is_real:
            importlib.import_module("numpy").asarray(action)
        self._taken += 1
        is_over = self._taken >= _STEPS
        ends = (False, is_over) if self.has_two_ends else (is_over,)
        return (self.observation_space.sample(), self._taken % 3 - 1.0, *ends, {})

    def render(self, *_: Any, **__: Any) -> Any:
        """A picture, or what is most like one."""
        return self.observation_space.sample()

    def get_action_meanings(self) -> list[str]:
        """What the buttons of a game do."""
        return [_MEANINGS[at % len(_MEANINGS)] for at in range(self.kind.actions)]

    def close(self) -> None:
        """There is nothing to close."""
