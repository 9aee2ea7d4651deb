"""``gpu2ascend rank-table`` writes a table, or one line that says why not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ..conftest import Run


def test_the_table_goes_to_the_standard_output(run: Run) -> None:
    ran = run("rank-table", "10.0.0.1", "--devices", "0-1")
    assert ran.code == 0
    assert [device["rank_id"] for device in ran.json["server_list"][0]["device"]] == ["0", "1"]


def test_several_hosts_with_their_addresses_into_a_file(run: Run, tmp_path: Path) -> None:
    for host in (1, 2):
        addresses = (f"address_{device}=192.168.{host}.{device}\n" for device in range(8))
        (tmp_path / f"hccn{host}.conf").write_text("".join(addresses))
    target = tmp_path / "rank_table.json"
    hosts = [f"10.0.0.{host}={tmp_path / f'hccn{host}.conf'}" for host in (1, 2)]
    ran = run("rank-table", *hosts, "-o", str(target))
    assert ran.code == 0 and "16" in ran.out
    assert json.loads(target.read_text())["server_count"] == "2"


def test_an_existing_file_is_not_replaced_unasked(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "rank_table.json"
    target.write_text("mine")
    assert run("rank-table", "10.0.0.1", "-o", str(target)).code == 2
    assert target.read_text() == "mine"
    assert run("rank-table", "10.0.0.1", "-o", str(target), "--force").code == 0
    assert json.loads(target.read_text())["server_count"] == "1"


def test_what_is_wrong_is_reported_in_one_line(run: Run, tmp_path: Path) -> None:
    for arguments in ((), ("host",), ("10.0.0.1=missing.conf",), ("10.0.0.1", "--devices", "x")):
        ran = run("rank-table", *arguments)
        assert ran.code == 2 and len(ran.err.strip().splitlines()) == 1, arguments


def test_a_link_stays_a_link_to_the_file_that_is_replaced(run: Run, tmp_path: Path) -> None:
    target, link = tmp_path / "rank_table.json", tmp_path / "link.json"
    target.write_text("mine")
    link.symlink_to(target)
    assert run("rank-table", "10.0.0.1", "-o", str(link), "--force").code == 0
    assert link.is_symlink() and json.loads(target.read_text())["server_count"] == "1"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_nothing_is_written_into_a_pipe(run: Run, tmp_path: Path, force: tuple[str, ...]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ran = run("rank-table", "10.0.0.1", "-o", str(pipe), *force)
    assert ran.code == 2 and str(pipe) in ran.err
    assert pipe.is_fifo()
