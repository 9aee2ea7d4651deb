"""What several hosts need: kernel limits, firewalls, and the ports of the NPUs."""

from __future__ import annotations

from pathlib import Path

from ..host import answering, ready, said, sample, write

LIMITS = {"/proc/sys/net/core/somaxconn": "128\n", "/proc/sys/net/ipv4/tcp_max_syn_backlog": "65535\n"}
SMI = {"npu-smi info": sample("npu_smi_910b2"), "hccn_tool -h": ""}


def port(number: int, **said_of: str) -> dict[str, str]:
    """What hccn_tool prints of a port."""
    return {f"hccn_tool -i {number} -{name} -g": text for name, text in said_of.items()}


FINE = {"link": sample("hccn_link_up"), "ip": sample("hccn_ip"), "lldp": sample("hccn_lldp")}
WATCHED = {"netdetect": "netdetect address: 11.12.165.1\n", "net_health": "net health status: Success\n"}


def test_short_queues_are_reported_with_what_makes_them_longer(tmp_path: Path) -> None:
    write(tmp_path, LIMITS)
    found = said(ready(tmp_path, nodes=2))["kernel.small"]
    assert found.commands == ("sudo sysctl -w net.core.somaxconn=65535",)


def test_one_host_needs_none_of_it(tmp_path: Path) -> None:
    write(tmp_path, LIMITS)
    assert said(ready(tmp_path)) == {}


def test_a_firewall_that_runs_is_reported(tmp_path: Path) -> None:
    ask = answering(
        {**SMI, "systemctl is-active firewalld": "active\n", "systemctl is-active ufw": "inactive\n"}
    )
    assert said(ready(tmp_path, nodes=2, ask=ask))["firewall.active"].commands == (
        "sudo systemctl stop firewalld",
    )


def test_ports_that_reach_what_they_watch_are_fine(tmp_path: Path) -> None:
    ask = answering({**SMI, **port(0, **FINE, **WATCHED), **port(1, **FINE, **WATCHED)})
    assert not {name for name in said(ready(tmp_path, nodes=2, ask=ask)) if name.startswith("ports.")}


def test_a_link_that_is_down_is_an_error(tmp_path: Path) -> None:
    ask = answering({**SMI, **port(0, link="link status: DOWN\n"), **port(1, **FINE, **WATCHED)})
    assert "ports.down" in said(ready(tmp_path, nodes=2, ask=ask))


def test_a_port_without_an_address_is_an_error(tmp_path: Path) -> None:
    ask = answering({**SMI, **port(0, **{**FINE, "ip": ""}, **WATCHED), **port(1, **FINE, **WATCHED)})
    assert "ports.no-address" in said(ready(tmp_path, nodes=2, ask=ask))


def test_a_fault_counts_where_an_address_is_watched(tmp_path: Path) -> None:
    health = {"net_health": sample("hccn_net_health_fault")}
    ask = answering({**SMI, **port(0, **FINE, **{**WATCHED, **health}), **port(1, **FINE, **WATCHED)})
    assert "ports.ill" in said(ready(tmp_path, nodes=2, ask=ask))


def test_a_health_that_was_never_asked_for_is_no_fault(tmp_path: Path) -> None:
    unwatched = {"netdetect": "netdetect address: 0.0.0.0\n", "net_health": sample("hccn_net_health_init")}
    ask = answering({**SMI, **port(0, **FINE, **unwatched), **port(1, **FINE, **unwatched)})
    assert not {name for name in said(ready(tmp_path, nodes=2, ask=ask)) if name.startswith("ports.")}


def test_without_the_tool_the_ports_are_not_seen(tmp_path: Path) -> None:
    assert "ports.unseen" in said(ready(tmp_path, nodes=2))
