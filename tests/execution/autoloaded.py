"""Runs a script as torch 2.5 and later would on a machine with NPUs: torch loads torch_npu by itself."""

import runpy
import sys

import torch_npu  # noqa: F401

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
