"""Variables of the environment that stop a training, or slow it down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..machine import Machine
from ..result import Result, Status, result

_VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"
_CUDA = "CUDA_VISIBLE_DEVICES"
_SLOW = {"ASCEND_LAUNCH_BLOCKING": ("1",), "ASCEND_GLOBAL_LOG_LEVEL": ("0", "1")}
_ALLOCATORS = ("PYTORCH_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF")
_INTERFACES = ("HCCL_SOCKET_IFNAME", "HCCL_IF_IP")


def visible_devices(machine: Machine) -> Iterator[Result]:
    """The list of visible NPUs: numbers in ascending order."""
    value = machine.environ.get(_VISIBLE)
    if value is None:
        if machine.environ.get(_CUDA):
            command = f"export {_VISIBLE}={machine.environ[_CUDA]}"
            yield result("visible", "cuda", Status.WARNING, (command,), cuda=_CUDA, name=_VISIBLE)
        return
    numbers = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"\d+", number) for number in numbers):
        yield result("visible", "form", Status.ERROR, (f"export {_VISIBLE}=0,1",), name=_VISIBLE, value=value)
        return
    ordered = sorted({int(number) for number in numbers})
    if [int(number) for number in numbers] != ordered:
        command = f"export {_VISIBLE}={','.join(map(str, ordered))}"
        yield result("visible", "order", Status.ERROR, (command,), name=_VISIBLE, value=value)


def speed(machine: Machine) -> Iterator[Result]:
    """What is meant for debugging, and two names for the same setting."""
    for name, values in _SLOW.items():
        value = machine.environ.get(name)
        if value in values:
            yield result("variables", "slow", Status.WARNING, (f"unset {name}",), name=name, value=value)
    if all(machine.environ.get(name) for name in _ALLOCATORS):
        command = f"unset {_ALLOCATORS[1]}"
        yield result("variables", "allocators", Status.ERROR, (command,), names=" ".join(_ALLOCATORS))


def collective(machine: Machine) -> Iterator[Result]:
    """What HCCL needs to know where several hosts train together."""
    if machine.nodes <= 1:
        return
    if not any(machine.environ.get(name) for name in _INTERFACES):
        command = f"export {_INTERFACES[0]}=eth0"
        yield result("hccl", "interface", Status.WARNING, (command,), names=", ".join(_INTERFACES))
    if not machine.environ.get("HCCL_CONNECT_TIMEOUT"):
        command = "export HCCL_CONNECT_TIMEOUT=1800"
        yield result("hccl", "timeout", Status.WARNING, (command,), name="HCCL_CONNECT_TIMEOUT")
