"""Runs a script as the program that it is, and notes every checkpoint that it writes.

Started as ``observed.py NOTES SCRIPT [ARGUMENT ...]``, in one process or as one of several.
"""

import os
import runpy
import sys

import torch


def main(notes, script):
    """Run the script; the notes get a line for each file that this process saves."""
    save = torch.save

    def noted(value, file, *arguments, **keywords):
        save(value, file, *arguments, **keywords)
        with open(notes, "a") as lines:  # noqa: PTH123
            lines.write(f"{os.path.basename(file)}\n")  # noqa: PTH119

    torch.save = noted
    sys.path[0] = os.path.dirname(script)  # noqa: PTH120
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    _, notes, *sys.argv = sys.argv
    main(notes, sys.argv[0])
