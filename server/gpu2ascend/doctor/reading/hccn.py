"""What ``hccn_tool`` prints of the network port of an NPU."""

from __future__ import annotations

import re

_LINK = re.compile(r"link status:\s*(\w+)", re.IGNORECASE)
_HEALTH = re.compile(r"net health status:\s*([^\r\n]+)", re.IGNORECASE)
_DETECT = re.compile(r"netdetect address:\s*([0-9a-fA-F.:]+)", re.IGNORECASE)
_ADDRESS = re.compile(r"ipaddr:\s*([0-9a-fA-F.:]+)", re.IGNORECASE)
_NEIGHBOUR = re.compile(r"Ifname:\s*(\S+)", re.IGNORECASE)


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match[1].strip() if match is not None else None


def link(text: str) -> str | None:
    """``UP`` or ``DOWN``, of ``-link -g``."""
    found = _found(_LINK, text)
    return found.upper() if found is not None else None


def health(text: str) -> str | None:
    """``Success``, ``Init``, ``Receive timeout`` ..., of ``-net_health -g``."""
    return _found(_HEALTH, text)


def detected(text: str) -> str | None:
    """The address that the port watches, of ``-netdetect -g``; None where there is none."""
    found = _found(_DETECT, text)
    return None if found == "0.0.0.0" else found


def address(text: str) -> str | None:
    """The port's address, of ``-ip -g``."""
    return _found(_ADDRESS, text)


def neighbour(text: str) -> str | None:
    """The port of the switch that it is connected to, of ``-lldp -g``."""
    return _found(_NEIGHBOUR, text)
