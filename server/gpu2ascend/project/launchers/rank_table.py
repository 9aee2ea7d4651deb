"""The rank table: which NPU of which host has which rank, in the form that the collective library reads.

Version 1.0 of the format, for hosts that are no super node: ``server_list`` with the devices of each host,
all numbers as texts (CANN, HCCL user guide, "ranktable file"). The addresses of the devices are those of
``/etc/hccn.conf`` on their host, where ``hccn_tool`` writes them.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..errors import ProjectError

_ADDRESS = re.compile(r"^\s*address_(\d+)\s*=\s*(\S+)\s*$")


class RankTableError(ProjectError):
    """A table cannot be made of what was given."""


class ServerHost(NamedTuple):
    """One host: how the others reach it, and the addresses of its NPUs by number, where they are known."""

    address: str
    device_addresses: Mapping[int, str]


def rank_table(servers: Sequence[ServerHost], devices: Sequence[int]) -> str:
    """The table as JSON text. Ranks are counted through the hosts in their order, on each by device.

    Raises:
        RankTableError: a host is named twice, an address is invalid, or a device's address is missing, which
            several hosts need to reach each other's devices.
    """
    _refuse_bad_addresses(servers)
    rank, listed = 0, []
    for server in servers:
        entries = []
        for device in devices:
            entry = {"device_id": str(device)}
            address = server.device_addresses.get(device)
            if address is not None:
                entry["device_ip"] = address
            elif len(servers) > 1 or server.device_addresses:
                raise RankTableError(
                    Message.of("launch.rank-table.no-device-address", server=server.address, device=device)
                )
            entries.append({**entry, "rank_id": str(rank)})
            rank += 1
        listed.append({"server_id": server.address, "device": entries, "host_nic_ip": "reserve"})
    table = {
        "version": "1.0",
        "server_count": str(len(servers)),
        "server_list": listed,
        "status": "completed",
    }
    return json.dumps(table, indent=4) + "\n"


def device_addresses(configuration: str, path: str) -> dict[int, str]:
    """The addresses of a host's NPUs, from the text of its ``hccn.conf``.
    Raises RankTableError: it names none."""
    matches = (_ADDRESS.match(line) for line in configuration.splitlines())
    found = {int(match[1]): match[2] for match in matches if match is not None}
    if not found:
        raise RankTableError(Message.of("launch.rank-table.no-addresses", path=path))
    return found


def device_numbers(spelling: str) -> tuple[int, ...]:
    """The numbers that ``0-7`` or ``0,1,4-5`` names. Raises RankTableError: it is nothing of the kind."""
    numbers: list[int] = []
    for part in spelling.split(","):
        match = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part, re.ASCII)
        if match is None:
            raise RankTableError(Message.of("launch.rank-table.devices", value=spelling))
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    if not numbers or numbers != sorted(set(numbers)):
        raise RankTableError(Message.of("launch.rank-table.devices", value=spelling))
    return tuple(numbers)


def _refuse_bad_addresses(servers: Sequence[ServerHost]) -> None:
    named = [server.address for server in servers]
    for address in named:
        if named.count(address) > 1:
            raise RankTableError(Message.of("launch.rank-table.twice", server=address))
    for server in servers:
        _refuse_no_address((server.address, *server.device_addresses.values()))


def _refuse_no_address(addresses: Iterable[str]) -> None:
    for address in addresses:
        try:
            ipaddress.ip_address(address)
        except ValueError as error:
            raise RankTableError(Message.of("launch.rank-table.address", value=address)) from error
