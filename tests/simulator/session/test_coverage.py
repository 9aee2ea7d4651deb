"""The lines of the project that ran, and no others, in every thread; by whichever means this Python has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from gpu2ascend.verify.verify import fill_folder

SCRIPT = """\
import threading


def by_thread(flag):
    if flag:
        return 1
    return 2


def generated():
    for number in range(2):
        yield number


thread = threading.Thread(target=by_thread, args=(0,))
thread.start()
thread.join()
print(list(generated()), [number for number in (1, 2)])
"""


def test_lines_that_ran(tmp_path: Path) -> None:
    folder, project, records = (tmp_path / name for name in ("path", "project", "records"))
    for path in (folder, project, records):
        path.mkdir()
    fill_folder(folder)
    (project / "train.py").write_text(SCRIPT)
    settings = {
        "root": str(project.resolve()),
        "records": str(records),
        "steps": 1,
        "deadline": time.time() + 600,
        "seed": 0,
        "supervisor": os.getpid(),
        "mode": "cpu",
    }
    (tmp_path / "settings").write_text(json.dumps(settings))
    env = {**os.environ, "PYTHONPATH": str(folder), "GPU2ASCEND_VERIFY": str(tmp_path / "settings")}
    done = subprocess.run([sys.executable, "train.py"], cwd=project, env=env, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[0, 1] [1, 2]\n", 0), done.stderr
    (record,) = (json.loads(path.read_text()) for path in records.glob("*.json"))
    assert record["lines"] == {"train.py": [1, 4, 5, 7, 10, 11, 12, 15, 16, 17, 18]}
