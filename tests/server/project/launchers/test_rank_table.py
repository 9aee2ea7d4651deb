"""The rank table has every NPU once, with the rank that the order of the hosts gives it."""

from __future__ import annotations

import json

import pytest

from gpu2ascend.project.launchers.rank_table import (
    RankTableError,
    ServerHost,
    device_addresses,
    device_numbers,
    rank_table,
)

ONE = ServerHost("10.0.0.1", {0: "192.168.1.1", 1: "192.168.1.2"})
OTHER = ServerHost("10.0.0.2", {0: "192.168.2.1", 1: "192.168.2.2"})


def test_ranks_count_through_the_hosts() -> None:
    servers = json.loads(rank_table([ONE, OTHER], (0, 1)))["server_list"]
    ranks = [(server["server_id"], device["rank_id"]) for server in servers for device in server["device"]]
    assert ranks == [("10.0.0.1", "0"), ("10.0.0.1", "1"), ("10.0.0.2", "2"), ("10.0.0.2", "3")]


def test_every_number_is_a_text() -> None:
    table = json.loads(rank_table([ONE], (0, 1)))
    assert (table["version"], table["server_count"], table["status"]) == ("1.0", "1", "completed")
    assert table["server_list"][0]["device"] == [
        {"device_id": "0", "device_ip": "192.168.1.1", "rank_id": "0"},
        {"device_id": "1", "device_ip": "192.168.1.2", "rank_id": "1"},
    ]


def test_one_host_needs_no_addresses_of_its_devices() -> None:
    table = json.loads(rank_table([ServerHost("10.0.0.1", {})], (4, 5)))
    assert table["server_list"][0]["device"] == [
        {"device_id": "4", "rank_id": "0"},
        {"device_id": "5", "rank_id": "1"},
    ]


@pytest.mark.parametrize(
    ("servers", "message_id"),
    [
        ([ONE, ServerHost("10.0.0.2", {})], "launch.rank-table.no-device-address"),
        ([ServerHost("10.0.0.1", {0: "192.168.1.1"})], "launch.rank-table.no-device-address"),
        ([ONE, ONE], "launch.rank-table.twice"),
        ([ServerHost("gpu-server", {})], "launch.rank-table.address"),
        ([ServerHost("10.0.0.1", {0: "1.2.3", 1: "1.2.3.4"})], "launch.rank-table.address"),
    ],
)
def test_no_table_is_made_of_what_cannot_work(servers: list[ServerHost], message_id: str) -> None:
    with pytest.raises(RankTableError) as raised:
        rank_table(servers, (0, 1))
    assert raised.value.message.id == message_id


def test_addresses_are_read_as_hccn_tool_writes_them() -> None:
    text = "address_0=192.168.100.101\nnetmask_0=255.255.255.0\r\naddress_10 = 192.168.100.111\n"
    assert device_addresses(text, "hccn.conf") == {0: "192.168.100.101", 10: "192.168.100.111"}


def test_a_file_without_addresses_is_refused() -> None:
    with pytest.raises(RankTableError) as raised:
        device_addresses("netmask_0=255.255.255.0\n", "hccn.conf")
    assert raised.value.message.id == "launch.rank-table.no-addresses"


@pytest.mark.parametrize(
    ("spelling", "numbers"), [("0-3", (0, 1, 2, 3)), ("0,2", (0, 2)), ("0, 4-5", (0, 4, 5)), ("7", (7,))]
)
def test_devices_are_named_by_numbers_and_ranges(spelling: str, numbers: tuple[int, ...]) -> None:
    assert device_numbers(spelling) == numbers


@pytest.mark.parametrize("spelling", ["", "a", "3-1", "1,0", "0,0", "0-", "-1", "0-99999", "1.5", "٣"])
def test_anything_else_names_no_devices(spelling: str) -> None:
    with pytest.raises(RankTableError):
        device_numbers(spelling)
