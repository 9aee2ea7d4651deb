"""The network ports of the NPUs, by which several hosts train together: what ``hccn_tool`` says of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..machine import Machine
from ..reading import hccn
from ..result import Result, Status, result

_LOGS = ("$HOME/ascend/log", "/var/log/npu/slog", "/var/log/npu/tool_log", "/var/log/messages")
"""Where the log of a training process, of the devices, of hccn_tool, and of the host lie."""


def ports(machine: Machine) -> Iterator[Result]:
    """Each port: link, address, the address that it watches, health, and the switch at its other end."""
    if machine.nodes <= 1 or not machine.has_npu_files:
        return
    numbers = sorted(int(name[7:]) for name in machine.names("/dev") if re.fullmatch(r"davinci\d+", name))
    if machine.ask("hccn_tool", "-h") is None:
        yield result("ports", "unseen", Status.UNSEEN, ("sudo hccn_tool -i 0 -link -g",))
        return
    for number in numbers:
        yield from _port(machine, number)


def _port(machine: Machine, number: int) -> Iterator[Result]:
    def said(name: str) -> str | None:
        answer = machine.ask("hccn_tool", "-i", str(number), f"-{name}", "-g")
        return answer.text if answer is not None and answer.code == 0 else None

    def shows(name: str) -> tuple[str, ...]:
        return (f"hccn_tool -i {number} -{name} -g",)

    link = hccn.link(said("link") or "")
    if link is None:
        yield result("ports", "silent", Status.UNSEEN, shows("link"), npu=number)
        return
    if link != "UP":
        yield result("ports", "down", Status.ERROR, shows("link_stat"), npu=number, link=link)
        return
    if hccn.address(said("ip") or "") is None:
        command = f"hccn_tool -i {number} -ip -s address 192.168.2.{10 + number} netmask 255.255.255.0"
        yield result("ports", "no-address", Status.ERROR, (command,), npu=number)
    watched = hccn.detected(said("netdetect") or "")
    health = hccn.health(said("net_health") or "")
    if watched is None:
        command = f"hccn_tool -i {number} -netdetect -s address <gateway>"
        yield result("ports", "unwatched", Status.INFO, (command,), npu=number)
    elif health is not None and health != "Success":
        commands = shows("net_health")
        yield result("ports", "ill", Status.ERROR, commands, npu=number, health=health, watched=watched)
    neighbour = hccn.neighbour(said("lldp") or "")
    if neighbour is None:
        yield result("ports", "alone", Status.INFO, shows("lldp"), npu=number)
    else:
        yield result("ports", "fine", Status.OK, npu=number, neighbour=neighbour)


def logs(machine: Machine) -> Iterator[Result]:
    """Where to look when nothing else says what is wrong."""
    if machine.nodes > 1:
        yield result("logs", "places", Status.INFO, paths=", ".join(_LOGS))
