"""The launch scripts start every rank once, give it its number, and fail when one of them does."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend.project.launchers.rank_table import ServerHost, rank_table
from gpu2ascend.project.launchers.scripts import DEFAULT_SCRIPT, RANK_TABLE_SCRIPT, launch_files
from gpu2ascend_rules.options.choices import Launcher
from tests.sampling import BEYOND_SAMPLE

from .harness import free_port

pytest.importorskip("torch")
pytestmark = [pytest.mark.execution, pytest.mark.slow]

TRAINING = """
import datetime, os, sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=120))
rank, total = dist.get_rank(), torch.tensor([float(os.environ["LOCAL_RANK"])])
dist.all_reduce(total)
with open(f"rank{rank}.txt", "w") as file:
    file.write(f"{os.environ['LOCAL_RANK']} {dist.get_world_size()} {int(total)} {' '.join(sys.argv[1:])}")
dist.destroy_process_group()
os._exit(0)  # without freeing all of torch, which takes a while
"""
WITHOUT_TORCH = """
import os, sys, time
rank = os.environ["RANK"]
open(f"rank{rank}.txt", "w").close()
if rank == "3":
    sys.exit(7)
time.sleep(600)
"""
SETTINGS = """
import os
names = ("LOCAL_RANK", "WORLD_SIZE", "ASCEND_RT_VISIBLE_DEVICES", "MASTER_PORT")
with open(f"rank{os.environ['RANK']}.txt", "w") as file:
    file.write(" ".join(os.environ[name] for name in names))
"""
WAITING = """
import os, time
with open(f"rank{os.environ['RANK']}.txt", "w"):
    time.sleep(600)
"""
# What torch_npu_run adds to torchrun, on a machine without torch_npu: nothing but its own rendezvous.
TORCH_NPU_RUN = """#!/bin/bash
[ "$1" = --rdzv_backend=parallel ] || exit 9
exec torchrun --rdzv_backend=static "${@:2}"
"""


SCRIPTS = [DEFAULT_SCRIPT, RANK_TABLE_SCRIPT, *(f"run_{launcher.value}.sh" for launcher in Launcher)]


class Machine(NamedTuple):
    """Where a host is: the command that runs another one there, its address and its interface."""

    command: tuple[str, ...]
    address: str
    interface: str


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def until(reached: Callable[[], bool]) -> None:
    """Wait for something, no longer than is sensible."""
    for _ in range(1200):
        if reached():
            return
        time.sleep(0.1)


class Host:
    """A project with its launch scripts, as one host has it."""

    def __init__(self, folder: Path, training: str, launcher: Launcher | None = None) -> None:
        folder.mkdir()
        self.folder = folder
        (folder / "train.py").write_text(training)
        for file in launch_files("train.py", launcher):
            path = folder / file.name
            path.write_text(file.text)
            path.chmod(file.mode)

    def start(
        self,
        script: str,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        within: tuple[str, ...] = (),
    ) -> subprocess.Popen[str]:
        """Start a script from another directory, as a scheduler would."""
        unwanted = (
            "MASTER_",
            "RANK",
            "LOCAL_RANK",
            "WORLD_SIZE",
            "NNODES",
            "NPROC_",
            "PYTHONPATH",
            "ASCEND_",
        )
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
        path = os.pathsep.join(
            (str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"])
        )
        return subprocess.Popen(
            [*within, "bash", str(self.folder / script), *arguments],
            cwd=self.folder.parent,
            env={
                **inherited,
                "PATH": path,
                "OMP_NUM_THREADS": "1",
                "GLOO_SOCKET_IFNAME": "lo",
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def with_port(self, port: int) -> Host:
        """The port that a user would write into the script that has one."""
        script = self.folder / DEFAULT_SCRIPT
        script.write_text(script.read_text().replace("29688", str(port)))
        return self

    def with_torch_npu_run(self) -> Host:
        """The command that torch_npu brings."""
        command = self.folder / "bin" / "torch_npu_run"
        command.parent.mkdir()
        command.write_text(TORCH_NPU_RUN)
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        return self

    def ranks(self) -> dict[int, list[str]]:
        """What each rank that ran here saw: its local rank, the world size, the sum of local ranks."""
        found = {int(path.stem[4:]): path.read_text().split() for path in self.folder.glob("rank*.txt")}
        return dict(sorted(found.items()))

    def processes(self) -> list[str]:
        """The processes that are at work in the project's directory."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "cwd").readlink() == self.folder:
                    found.append((process / "cmdline").read_text())
        return found

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


def finish(process: subprocess.Popen[str], host: Host) -> int:
    output, _ = process.communicate(timeout=180)
    print(output, host.logs())  # pytest shows it if the test fails
    return process.returncode


@BEYOND_SAMPLE
def test_eight_ranks_on_one_host(tmp_path: Path) -> None:
    host = Host(tmp_path / "project", TRAINING).with_port(free_port())
    assert finish(host.start(DEFAULT_SCRIPT, "--epochs", "3"), host) == 0
    assert host.ranks() == {rank: [str(rank), "8", "28", "--epochs", "3"] for rank in range(8)}
    assert sorted(path.name for path in host.folder.glob("*.log")) == [
        f"output_npu_{rank}.log" for rank in range(8)
    ]


def test_torchrun_on_one_host(tmp_path: Path) -> None:
    host = Host(tmp_path / "project", TRAINING, Launcher.TORCHRUN)
    assert finish(host.start("run_torchrun.sh", environment={"NPROC_PER_NODE": "2"}), host) == 0
    assert host.ranks() == {0: ["0", "2", "1"], 1: ["1", "2", "1"]}


@pytest.fixture
def two_hosts() -> Iterator[list[Machine]]:
    """Two network namespaces with a cable between them; where there are none, two addresses of this one."""
    names = [f"gpu2ascend{os.getpid()}{letter}" for letter in "ab"]
    try:
        for name in names:
            _ip("netns", "add", name)
    except (OSError, subprocess.CalledProcessError):
        yield [Machine((), f"127.0.0.{number}", "lo") for number in (1, 2)]
        return
    try:
        _ip(
            "link",
            "add",
            "npu0",
            "netns",
            names[0],
            "type",
            "veth",
            "peer",
            "name",
            "npu1",
            "netns",
            names[1],
        )
        for number, name in enumerate(names):
            _ip("-n", name, "addr", "add", f"10.77.0.{number + 1}/24", "dev", f"npu{number}")
            _ip("-n", name, "link", "set", f"npu{number}", "up")
            _ip("-n", name, "link", "set", "lo", "up")
        yield [
            Machine(("ip", "netns", "exec", name), f"10.77.0.{number + 1}", f"npu{number}")
            for number, name in enumerate(names)
        ]
    finally:
        for name in names:
            _ip("netns", "del", name)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("launcher", Launcher, ids=lambda launcher: launcher.value)
def test_two_hosts_with_addresses_of_their_own(
    launcher: Launcher, two_hosts: list[Machine], tmp_path: Path
) -> None:
    hosts = [Host(tmp_path / f"host{number}", TRAINING, launcher).with_torch_npu_run() for number in range(2)]
    of_all = {
        "NNODES": "2",
        "NPROC_PER_NODE": "2",
        "MASTER_ADDR": two_hosts[0].address,
        "MASTER_PORT": "30001",
    }
    started = [
        host.start(
            f"run_{launcher.value}.sh",
            environment={**of_all, "NODE_RANK": str(number), "GLOO_SOCKET_IFNAME": machine.interface},
            within=machine.command,
        )
        for number, (host, machine) in enumerate(zip(hosts, two_hosts, strict=True))
    ]
    assert [finish(process, host) for process, host in zip(started, hosts, strict=True)] == [0, 0]
    for number, host in enumerate(hosts):
        assert host.ranks() == {2 * number + local: [str(local), "4", "2"] for local in range(2)}


def one_host(script: str, training: str, folder: Path) -> tuple[Host, list[str]]:
    """A project of which one script starts two processes on a host, and that script's arguments."""
    launcher = {DEFAULT_SCRIPT: None, RANK_TABLE_SCRIPT: Launcher.SHELL}.get(script, "")
    host = Host(folder / "project", training, Launcher(script[4:-3]) if launcher == "" else launcher)
    host.with_torch_npu_run()
    if script != RANK_TABLE_SCRIPT:
        return host, []
    table = folder / "rank_table.json"
    table.write_text(rank_table([ServerHost("127.0.0.1", {})], range(2)))
    return host, [str(table), "2", "0", "0"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_set_is_respected(script: str, tmp_path: Path) -> None:
    host, arguments = one_host(script, SETTINGS, tmp_path)
    chosen = {"ASCEND_RT_VISIBLE_DEVICES": "2,3", "MASTER_PORT": str(free_port())}
    assert finish(host.start(script, *arguments, environment=chosen), host) == 0
    expected = [str(2), "2,3", chosen["MASTER_PORT"]]
    assert host.ranks() == {0: ["0", *expected], 1: ["1", *expected]}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM], ids=lambda item: item.name)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_signal_ends_every_process(script: str, number: signal.Signals, tmp_path: Path) -> None:
    host, arguments = one_host(script, WAITING, tmp_path)
    settings = {"ASCEND_RT_VISIBLE_DEVICES": "0,1", "MASTER_PORT": str(free_port())}
    process = host.start(script, *arguments, environment=settings)
    until(lambda: len(host.ranks()) == 2 or process.poll() is not None)
    process.send_signal(number)
    assert finish(process, host) != 0
    until(lambda: not host.processes())
    assert len(host.ranks()) == 2 and not host.processes()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("launcher", Launcher, ids=lambda launcher: launcher.value)
def test_two_hosts_of_four(launcher: Launcher, tmp_path: Path) -> None:
    hosts = [Host(tmp_path / f"host{number}", TRAINING, launcher).with_torch_npu_run() for number in range(2)]
    of_all = {
        "NNODES": "2",
        "NPROC_PER_NODE": "4",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
    }
    started = [
        host.start(f"run_{launcher.value}.sh", "--lr", "1", environment={**of_all, "NODE_RANK": str(number)})
        for number, host in enumerate(hosts)
    ]
    assert [finish(process, host) for process, host in zip(started, hosts, strict=True)] == [0, 0]
    for number, host in enumerate(hosts):
        assert host.ranks() == {
            4 * number + local: [str(local), "8", "12", "--lr", "1"] for local in range(4)
        }


@BEYOND_SAMPLE
def test_two_hosts_of_four_by_a_rank_table(tmp_path: Path) -> None:
    servers = [
        ServerHost(f"127.0.0.{host}", {device: f"192.168.{host}.{device + 1}" for device in range(4)})
        for host in (1, 2)
    ]
    table = tmp_path / "rank_table.json"
    table.write_text(rank_table(servers, range(4)))
    hosts = [Host(tmp_path / f"host{number}", TRAINING, Launcher.SHELL) for number in range(2)]
    port = {"MASTER_PORT": str(free_port())}
    started = [
        host.start(RANK_TABLE_SCRIPT, str(table), "8", str(4 * number), "0", "--lr", "1", environment=port)
        for number, host in enumerate(hosts)
    ]
    assert [finish(process, host) for process, host in zip(started, hosts, strict=True)] == [0, 0]
    for number, host in enumerate(hosts):
        assert host.ranks() == {
            4 * number + local: [str(local), "8", "12", "--lr", "1"] for local in range(4)
        }, "the script's own arguments are no business of the training"


@pytest.mark.parametrize("script", [DEFAULT_SCRIPT, "run_shell.sh"])
def test_a_rank_that_fails_stops_the_others(script: str, tmp_path: Path) -> None:
    host = Host(tmp_path / "project", WITHOUT_TORCH, Launcher.SHELL)
    process = host.start(script)
    assert finish(process, host) == 7, "the code of the rank that failed"
    assert len(list(host.folder.glob("*.log"))) == 8
    assert not host.processes()


@pytest.mark.parametrize("script", [DEFAULT_SCRIPT, RANK_TABLE_SCRIPT])
def test_nothing_runs_while_the_placeholder_is_there(script: str, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    host = Host(folder, WITHOUT_TORCH)
    for file in launch_files(None, Launcher.SHELL):
        (folder / file.name).write_text(file.text)
    table = tmp_path / "table.json"
    table.write_text(rank_table([ServerHost("127.0.0.1", {})], range(8)))
    process = host.start(script, str(table), "8", "0", "0")
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and "please input your shell script here" in output
    assert not host.ranks() and not list(folder.glob("*.log"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "usage"),
        (("missing.json", "8", "0", "0"), "missing.json"),
        (("TABLE", "4", "0", "0"), "ranks 0 to 3"),
        (("TABLE", "8", "9", "0"), "no rank 9"),
        (("TABLE", "8", "zero", "0"), "usage"),
    ],
)
def test_a_rank_table_that_does_not_fit_is_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    host = Host(tmp_path / "project", WITHOUT_TORCH, Launcher.SHELL)
    table = tmp_path / "table.json"
    table.write_text(rank_table([ServerHost("127.0.0.1", {})], range(8)))
    process = host.start(RANK_TABLE_SCRIPT, *(str(table) if item == "TABLE" else item for item in arguments))
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and said in output
    assert json.loads(table.read_text()) and not host.ranks()


def test_several_hosts_need_to_know_the_first(tmp_path: Path) -> None:
    host = Host(tmp_path / "project", WITHOUT_TORCH, Launcher.TORCHRUN)
    process = host.start("run_torchrun.sh", environment={"NNODES": "2"})
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and "MASTER_ADDR" in output
