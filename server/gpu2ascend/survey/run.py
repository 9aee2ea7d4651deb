"""Looks at many projects, on this machine or on a cluster that joblib knows a back end for."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NamedTuple

from gpu2ascend_rules.model.finding import Message

from ..project.errors import InputError
from ..project.files.excludes import Excludes
from ..project.paths import shown
from ..project.processes.cancellable import GRACE_SECONDS, end_all
from .journal import Journal
from .look import Looked, Task, look
from .model import Survey, survey_of
from .projects import fingerprint

BACKENDS = ("loky", "threading", "dask", "ray", "spark")
"""Back ends of joblib. Each task starts a process of its own wherever it runs."""


class Place(NamedTuple):
    """Where the work is done."""

    backend: str | None = None
    """None for this machine, without joblib."""
    scheduler: str | None = None
    """The address of a cluster's scheduler; without one, the back end's own default."""
    jobs: int = 0
    """Projects at a time at most; 0 for one per core, or all that the cluster has."""


def survey(
    tasks: Sequence[Task], place: Place, journal: Journal | None, on_project: Callable[[int, Looked], None]
) -> Survey:
    """Look at projects; those that a journal has, and that did not change, are taken from there.

    Args:
        on_project: Called with the number of projects that are done.

    Raises:
        ProjectError: the back end cannot be had, or the journal not be written.
    """
    results: dict[str, Looked] = {}
    waiting: list[Task] = []
    for task in tasks:
        known = journal.known.get(shown(task.root)) if journal is not None else None
        if known is not None and known.fingerprint == fingerprint(
            task.root, Excludes(task.options.unexamined)
        ):
            results[shown(task.root)] = known
        else:
            waiting.append(task)
    for looked in _looked(waiting, place):
        results[looked.project.path] = looked
        if journal is not None:
            journal.note(looked)
        on_project(len(results), looked)
    return survey_of(results[shown(task.root)].project for task in tasks)


def _looked(tasks: Sequence[Task], place: Place) -> Iterator[Looked]:
    if not tasks:
        return iter(())
    return _by_joblib(tasks, place) if place.backend is not None else _here(tasks, place.jobs)


def _here(tasks: Sequence[Task], jobs: int) -> Generator[Looked, None, None]:
    """Threads that each wait for the process of a project."""
    pool = ThreadPoolExecutor(max_workers=min(len(tasks), jobs or os.cpu_count() or 1))
    try:
        for done in as_completed([pool.submit(look, task) for task in tasks]):
            yield done.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        end_all(GRACE_SECONDS)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _by_joblib(tasks: Sequence[Task], place: Place) -> Iterator[Looked]:
    """As the back end of joblib gives them: one by one, or a part at a time."""
    try:
        joblib: Any = import_module("joblib")
    except ImportError as error:
        raise InputError(Message.of("survey.no-joblib")) from error
    with _connected(place), joblib.parallel_config(place.backend):
        parallel = joblib.Parallel(n_jobs=place.jobs or -1, return_as="generator_unordered", batch_size=1)
        try:
            results = parallel(joblib.delayed(look)(task) for task in tasks)
        except (ValueError, NotImplementedError):  # a back end that gives all at once
            yield from _in_parts(joblib, tasks, place.jobs)
            return
        yield from results


def _in_parts(joblib: Any, tasks: Sequence[Task], jobs: int) -> Iterator[Looked]:
    """So that a survey which is ended has some results all the same."""
    size = 4 * max(1, joblib.effective_n_jobs(jobs or -1))
    for start in range(0, len(tasks), size):
        parallel = joblib.Parallel(n_jobs=jobs or -1, batch_size=1)
        yield from parallel(joblib.delayed(look)(task) for task in tasks[start : start + size])


@contextmanager
def _connected(place: Place) -> Iterator[None]:
    """What a back end needs before it can be named.
    Raises InputError: its package is missing, or the cluster cannot be reached."""
    try:
        client = _connect(place)
    except ImportError as error:
        package = error.name or place.backend
        raise InputError(Message.of("survey.no-backend", backend=place.backend, package=package)) from error
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        address = place.scheduler or "-"
        raise InputError(Message.of("survey.no-cluster", address=address, reason=str(error))) from error
    try:
        yield
    finally:
        if client is not None:
            with suppress(Exception):
                client.close()


def _connect(place: Place) -> Any:
    """None of these packages is one of ours: they come with the cluster."""
    if place.backend == "dask":
        client: Any = import_module("distributed").Client
        return client(place.scheduler) if place.scheduler else client(processes=True, threads_per_worker=1)
    if place.backend == "ray":
        import_module("ray").init(address=place.scheduler, ignore_reinit_error=True)
        import_module("ray.util.joblib").register_ray()
    elif place.backend == "spark":
        import_module("joblibspark").register_spark()
    return None
