"""``python -m tools.proof.costs PYTHON``: microseconds of operators on its torch_npu."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gpu2ascend.verify.environment.emulation import Choice, device_of
from gpu2ascend.verify.environment.interpreter import inspect_interpreter
from gpu2ascend.verify.verify import fill_folder

PROGRAM = Path(__file__).with_name("measured.py")


def main() -> int:
    """Run the command line."""
    interpreter = inspect_interpreter(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "path")
        folder.mkdir()
        fill_folder(folder)
        device = device_of(interpreter, folder, Choice.EMULATED)
        env = {**os.environ, **device.variables, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        return subprocess.run([str(interpreter.path), str(PROGRAM)], env=env, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
