"""Begins the notes of a verified process, then runs the ``sitecustomize`` that this one hides."""

import importlib.machinery
import importlib.util
import os
import sys


def _run_hidden() -> None:
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]  # noqa: PTH100
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_run_hidden()

from gpu2ascend_simulator.session.start import start  # noqa: E402

start()
