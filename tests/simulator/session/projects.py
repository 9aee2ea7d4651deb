"""Projects of a few lines whose data is not here, and what they print."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
BEGIN = """\
import sys, time
from pathlib import Path
from gpu2ascend_simulator.session.fake_data.files.patches import make_up_files
from gpu2ascend_simulator.session.fake_data.files.restart import Restart
root, folder = sys.argv[1:3]
again = Restart(Path(folder), lambda how, error: print("CHANGED", how))
make_up_files(root, Path(folder), time.time() + 1, lambda data: print("MADE UP", data))
try:
    exec(compile(Path(root, "data.py").read_text(), root + "/data.py", "exec"))
except Exception as error:
    again.after(str(error))
    raise
"""


def run(tmp_path: Path, code: str) -> list[str]:
    """What a project prints whose data is not here. It makes nothing outside of the private folder."""
    project, folder = tmp_path / "project", tmp_path / "records" / "made_up"
    project.mkdir(exist_ok=True)
    folder.parent.mkdir()
    (project / "data.py").write_text(textwrap.dedent(code))
    before = sorted(project.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", BEGIN, str(project), str(folder)],
        cwd=project,
        env={"PYTHONPATH": str(REPOSITORY / "server")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert sorted(project.rglob("*")) == before
    last = done.stderr.strip().rpartition("\n")[2]
    return [*done.stdout.splitlines(), *([last] if last else [])]


def said(lines: list[str]) -> tuple[list[str], list[str]]:
    """What was made up, and the other lines."""
    made = [line.removeprefix("MADE UP ") for line in lines if line.startswith("MADE UP ")]
    return made, [line for line in lines if not line.startswith("MADE UP ")]
