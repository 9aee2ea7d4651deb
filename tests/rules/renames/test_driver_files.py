"""What stands on a machine with NPUs for the files that show a GPU."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.renames.driver_files import npu_file


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("/dev/nvidia", "/dev/davinci0"),
        ("/dev/nvidia0", "/dev/davinci0"),
        ("/dev/nvidia*", "/dev/davinci[0-9]*"),
        ("/dev/nvidia[0-9]", "/dev/davinci[0-9]*"),
        ("/dev/nvidiactl", "/dev/davinci_manager"),
        ("/dev/nvidia-uvm", "/dev/davinci_manager"),
        ("/usr/local/cuda", "/usr/local/Ascend"),
        ("/usr/local/cuda-12.1/", "/usr/local/Ascend"),
        ("/usr/local/cuda/bin/nvcc", None),
        ("/dev/davinci0", None),
        ("nvidia-smi", None),
    ],
)
def test_the_file_that_shows_an_npu(path: str, instead: str | None) -> None:
    assert npu_file(path) == instead
