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


WRITES = 'open("train.log", "w").close()\nraise KeyError("other")\n'
TRAINS = SILENT.replace('config["data"]["steps"]', "3") + 'raise KeyError("other")\n'
OTHER = {"model/train.py": SILENT.replace("steps = config", "raise RuntimeError('other')\nsteps = config")}


@pytest.mark.parametrize(
    "files",
    [
        {"model/train.py": WRITES, "model/train.log": ""},
        {**FILES, **OTHER},
        {**FILES, "model/train.py": TRAINS},
    ],
    ids=["a file that it writes", "an error of another kind", "an error after steps"],
)
def test_a_failure_for_another_reason_starts_nothing(verified: Verified, files: dict[str, str]) -> None:
    result = verified(files, "model/train.py", steps=9)
    assert result.failure is not None and "other" in result.failure.text
    assert result.command[0] == "model/train.py"


def test_arguments_that_are_found_from_here_keep_it_here(verified: Verified) -> None:
    files = {**FILES, "data/a.txt": ""}
    assert verified(files, "model/train.py", "--data=data").command[0] == "model/train.py"
