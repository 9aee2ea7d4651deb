"""Runs what MS002 says is to be written by hand beside what it stands for.

``python -m tests.execution.mindspore.by_hand`` prints as JSON by name what each sample left in ``result``
in both frameworks. A sample is a text of PyTorch, a line ``# by hand``, and one of MindSpore, in which
the line ``# the text`` is what the table says.
"""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path

from gpu2ascend_mindspore.correspondences.table import by_hand

from .both import plain, texts

SAMPLES = Path(__file__).parent / "samples" / "by_hand.txt"
HEAD = """import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.experimental import optim

"""
_PARTS = ("data_loader", "tensor_dataset")


def halves(name: str) -> tuple[str, str]:
    """The text of PyTorch, and that of MindSpore with what the table says."""
    before, _, after = texts(SAMPLES)[name].partition("# by hand\n")
    return before, HEAD + after.replace("# the text\n", by_hand()[name] + "\n")


def main() -> None:
    """Run all samples, each in a folder of its own."""
    warnings.simplefilter("ignore")
    import mindspore

    from .alike import _module
    from .helper_files import provide
    from .pictures import import_torchvision

    mindspore.runtime.launch_blocking()
    import_torchvision()
    provide(_PARTS)
    shown = {}
    here = Path.cwd()
    for name in texts(SAMPLES):
        before, after = halves(name)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                expected = plain(_module("before", before)["result"])
                shown[name] = {"torch": expected, "mindspore": plain(_module("after", after)["result"])}
            finally:
                os.chdir(here)
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
