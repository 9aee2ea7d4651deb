"""Starts the bundled gpu2ascend: `python -I run_server.py lsp`, or any other command of it.

`-I` keeps PYTHONPATH, the user's site-packages and the current directory out: no module of a project can
stand in for one of the standard library. What is bundled comes first, so that no package of the
interpreter's own environment can stand in for one that the server was built with.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "libs"))

from gpu2ascend.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
