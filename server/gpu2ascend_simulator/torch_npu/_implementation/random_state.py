"""Random state of the devices."""

from __future__ import annotations

from typing import Any

from .._extension import library
from .devices import checked_index_of, current_device, device_count

__all__ = [
    "default_generators",
    "get_rng_state",
    "get_rng_state_all",
    "initial_seed",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "set_rng_state",
    "set_rng_state_all",
]

default_generators = tuple(library.default_generator(index) for index in range(device_count()))


def _generator(device: Any = None) -> Any:
    return library.default_generator(checked_index_of(device))


def get_rng_state(device: Any = "npu") -> Any:
    """The state of a device's generator, as bytes on the CPU."""
    return library.state_of(_generator(device))


def get_rng_state_all() -> Any:
    """The states of all devices."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "npu") -> None:
    """Restores the state of a device's generator."""
    library.put_state(_generator(device), new_state)


def set_rng_state_all(new_states: Any) -> None:
    """Restores the states of all devices."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: Any) -> None:
    """Seeds the current device, which is not used by that."""
    library.default_generator(current_device()).manual_seed(int(seed))


def manual_seed_all(seed: Any) -> None:
    """Seeds all devices."""
    for index in range(device_count()):
        library.default_generator(index).manual_seed(int(seed))


def seed() -> None:
    """Seeds the current device with something random."""
    _generator().seed()


def seed_all() -> None:
    """Seeds all devices with the same random number."""
    manual_seed_all(_generator(0).seed())


def initial_seed() -> Any:
    """The seed of the current device."""
    return _generator().initial_seed()
