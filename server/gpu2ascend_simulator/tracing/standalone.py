"""Runs a script and notes the tensors of its training. Made by gpu2ascend; nothing else is needed but torch.

    python record_tensors.py [--out trace.json] [--steps 3] [--seed 0] [--values 0] train.py ARGUMENTS
    python record_tensors.py [...] -m package.train ARGUMENTS
    torchrun --nproc-per-node 8 record_tensors.py [...] train.py ARGUMENTS

It runs the script as Python would and writes a trace of the first steps of the optimizers as JSON, one of
each rank. Two traces, of a GPU and of an NPU, are held against each other by ``gpu2ascend compare A B``. A
trace has names, shapes, data types, statistics and hashes; values only with ``--values N``, the first N of
each tensor.
"""

from __future__ import annotations

import argparse
import atexit
import os
import random
import runpy
import sys
from typing import Any

from .tensors import Recorder, place_of_rank


def _seed(torch: Any, seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")  # torch has brought it, where it is there
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs a script and writes a trace of its tensors.")
    parser.add_argument(
        "--out", default="trace.json", help="of rank N it is NAME.rankN.json (default: trace.json)"
    )
    parser.add_argument(
        "--steps", type=int, default=3, help="steps of optimizers that are noted (default: 3)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of random, NumPy and torch (default: 0)")
    parser.add_argument(
        "--values", type=int, default=0, help="values of each tensor that are kept (default: none)"
    )
    parser.add_argument("-m", dest="is_module", action="store_true", help="SCRIPT is the name of a module")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def _root(options: argparse.Namespace) -> str:
    """The directory whose files are the project's: the current one, unless the script lies elsewhere."""
    here, there = os.getcwd(), os.path.dirname(os.path.realpath(options.script))
    is_inside = options.is_module or os.path.join(there, "").startswith(
        os.path.join(os.path.realpath(here), "")
    )
    return here if is_inside else there


def main(arguments: list[str]) -> int:
    """Run a script and write its trace; its end is that of the script."""
    options = _options(arguments)
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # a compiled module calls no hooks
    import torch

    rank, world = place_of_rank()
    out = os.path.abspath(options.out)
    if world > 1:
        stem, suffix = os.path.splitext(out)
        out = f"{stem}.rank{rank}{suffix}"
    recorder = Recorder(_root(options), options.steps, options.values)
    recorder.watch(torch)
    _seed(torch, options.seed)
    owner = os.getpid()
    atexit.register(lambda: recorder.write(out) if os.getpid() == owner else None)
    sys.argv = [options.script, *options.arguments]
    if options.is_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
        runpy.run_path(options.script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
