"""A survey on a cluster of Dask with two workers says what one on this machine says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.cli.conftest import Run
from tests.server.cli.conftest import run as run  # a fixture

pytest.importorskip("joblib")
distributed = pytest.importorskip("distributed")

V = ("-v", "2.8.0", "--json")


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a cluster's scheduler."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.slow
def test_two_workers_find_what_one_machine_finds(
    run: Run, place: Path, scheduler: str, tmp_path: Path
) -> None:
    journal = tmp_path / "so-far.jsonl"
    here = run("survey", place, *V)
    there = run("survey", place, *V, "--backend", "dask", "--scheduler", scheduler, "--resume", journal)
    assert (there.code, there.json) == (here.code, here.json), there.err
    assert len(journal.read_text().splitlines()) == 1 + len(here.json["projects"])


def test_a_cluster_that_is_not_there_is_an_error(run: Run, place: Path) -> None:
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        ran = run("survey", place, *V, "--backend", "dask", "--scheduler", "tcp://127.0.0.1:9")
    assert ran.code == 2 and "127.0.0.1:9" in ran.err
