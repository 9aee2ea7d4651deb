"""Where everything must be there, a test that skips itself for want of something fails.

CI sets ``GPU2ASCEND_REQUIRE_ALL``: without it a machine that lost its compiler, torch or the package
index would look green having run half of the tests.

Property tests take the same examples every time, so that a run fails for what was changed. With
``--hypothesis-profile=search`` they look for new ones. None of them judges how long an example takes: on a
busy machine that says nothing.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.rule_choice import may_regard
from tests.sampling import mark_beyond_sample

settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("search"), derandomize=True)
settings.load_profile("repeatable")

REQUIRE_ALL = bool(os.environ.get("GPU2ASCEND_REQUIRE_ALL"))
NEEDY_MARKS = ("network", "execution", "editor")


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    report.outcome = "failed"
    report.longrepr = f"GPU2ASCEND_REQUIRE_ALL is set, but this was skipped: {reason}"


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start heed signals, though a job in the background was told not to."""
    for name in ("SIGINT", "SIGHUP", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--rule CODE``."""
    parser.addoption("--rule", metavar="CODE", help="run only the tests that regard the rule with this code")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``--rule``, do not even load the files of tests that have nothing for it: that costs most."""
    code = config.getoption("--rule")
    if code is None or not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    return None if may_regard(collection_path, code) else True


def pytest_collection() -> None:
    """Collect without the garbage collector: all that is made stays to the end of the run."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the collector, on again, look at what tests make alone, and less often than for a small program."""
    gc.freeze()
    gc.set_threshold(5_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the sample leaves out, before ``-m`` looks. With ``--rule``, keep the tests that are named
    after the rule and those that look at every rule."""
    mark_beyond_sample(items)
    code = config.getoption("--rule")
    if code is None:
        return
    named = {item for item in items if code in item.nodeid}
    if not named:
        raise pytest.UsageError(f"no test is named after {code}: does the rule exist, with examples?")
    wanted = [item for item in items if item in named or item.get_closest_marker("every_rule")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(wanted)])
    items[:] = wanted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure for tests that need more than Python."""
    report = yield
    needy = any(item.get_closest_marker(mark) for mark in NEEDY_MARKS)
    if REQUIRE_ALL and needy and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that skips itself as a whole (``pytest.importorskip``) fails likewise."""
    report = yield
    if REQUIRE_ALL and report.skipped:
        _fail(report)
    return report
