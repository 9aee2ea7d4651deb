"""A script that reads files beside itself is started there, also where it does not say what is missing."""

from __future__ import annotations

import pytest

from gpu2ascend.verify.result.model import Fault
from tests.server.verify.conftest import Verified
from tests.server.verify.scripts import SINGLE

pytestmark = pytest.mark.execution

SILENT = f"""\
import configparser
config = configparser.ConfigParser()
config.read("./model.conf")
steps = config["data"]["steps"]
{SINGLE}"""
FILES = {"model/train.py": SILENT, "model/model.conf": "[data]\nsteps = 3\n"}


def test_it_is_started_there(verified: Verified) -> None:
    result = verified(FILES, "model/train.py", "--epochs", "1")
    assert result.command == ("bash", "-c", "cd model && python train.py --epochs 1")


def test_several_ranks_are_told_where(verified: Verified) -> None:
    failure = verified(FILES, "model/train.py", ranks=1).failure
    assert failure is not None and failure.cause is not None
    assert (failure.cause.id, failure.fault) == ("verify.file.elsewhere.cause", Fault.ENVIRONMENT)


def test_a_file_that_is_where_it_was_started_is_no_reason(verified: Verified) -> None:
    failure = verified({**FILES, "model.conf": "[other]\n"}, "model/train.py").failure
    assert failure is not None and (failure.cause is None or "elsewhere" not in failure.cause.id)
