"""What several hosts need of each other's kernels and firewalls."""

from __future__ import annotations

from collections.abc import Iterator

from ..machine import Machine
from ..result import Result, Status, result

_LIMITS = {
    "/proc/sys/net/core/somaxconn": ("net.core.somaxconn", 65535),
    "/proc/sys/net/ipv4/tcp_max_syn_backlog": ("net.ipv4.tcp_max_syn_backlog", 65535),
}
"""Connections that wait to be accepted: all ranks connect to rank 0 at once."""
_ENOUGH = 4096
_FIREWALLS = ("firewalld", "ufw")


def kernel_limits(machine: Machine) -> Iterator[Result]:
    """The queues of connections, which overflow where hundreds of ranks connect at once."""
    if machine.nodes <= 1:
        return
    for path, (name, advised) in _LIMITS.items():
        text = (machine.text(path) or "").strip()
        if not text.isdigit():
            yield result("kernel", "unseen", Status.UNSEEN, (f"sysctl {name}",), name=name)
        elif int(text) < _ENOUGH:
            command = f"sudo sysctl -w {name}={advised}"
            yield result("kernel", "small", Status.WARNING, (command,), name=name, value=text)
        else:
            yield result("kernel", "fine", Status.OK, name=name, value=text)


def firewall(machine: Machine) -> Iterator[Result]:
    """Whether a firewall runs, which may hold back the connections between the hosts."""
    if machine.nodes <= 1:
        return
    for name in _FIREWALLS:
        answer = machine.ask("systemctl", "is-active", name)
        if answer is None:
            yield result("firewall", "unseen", Status.UNSEEN, ("sudo iptables -L -n",))
            return
        if answer.text.strip() == "active":
            command = f"sudo systemctl stop {name}"
            yield result("firewall", "active", Status.WARNING, (command,), name=name)
