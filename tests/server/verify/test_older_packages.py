"""What newer releases of a package removed: the run begins again with the releases that have it."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

import pytest

from gpu2ascend.verify import verify as verifying
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.explain import Removed
from tests.server.verify.conftest import Verified
from tests.server.verify.scripts import SINGLE

pytestmark = pytest.mark.execution

OLD = f"""\
import os
if not os.path.exists("older"):
    raise AttributeError("'DataFrame' object has no attribute 'append'")
{SINGLE}"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The releases that environments of ours were made below, each of which is this one."""
    found: list[tuple[str, ...]] = []

    def environment(request: VerifyRequest, *_: object) -> Path:
        found.append(request.older)
        if request.older:
            (request.project / "older").touch()
        return Path(sys.executable)

    monkeypatch.setattr(verifying, "_environment", environment)
    return found


def test_an_environment_is_made_with_them(verified: Verified, asked: list[tuple[str, ...]]) -> None:
    result = verified({"train.py": OLD}, python=None)
    assert (result.is_passed, asked[-1]) == (True, ("pandas<2.0",))


def test_with_an_interpreter_of_the_user_it_stays(verified: Verified, asked: list[tuple[str, ...]]) -> None:
    assert (verified({"train.py": OLD}).failure is not None, asked) == (True, [])


def test_once_is_enough(verified: Verified, asked: list[tuple[str, ...]]) -> None:
    result = verified({"train.py": OLD.replace('"older"', '"never"')}, python=None)
    assert (result.failure is not None, asked[-1]) == (True, ("pandas<2.0",))


def test_no_more_environments_than_four_are_made(
    verified: Verified, asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    removals = (Removed(f"package-{len(asked)}", "2", re.compile("append")) for _ in itertools.count())
    monkeypatch.setattr(verifying, "removed_name", lambda _: next(removals))
    verified({"train.py": OLD.replace('"older"', '"never"')}, python=None)
    assert len(asked[-1]) == 4
