"""A test for a file of NVIDIA's is false on the NPU, so it is found; a path that shows no device is not."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated


def findings(text: str) -> list[tuple[str, str]]:
    found = check(SourceFile(text), options_from({"version": "2.8.0", "select": ["NPU9"]}))
    return [(item.code, item.applicability.value) for item in found]


TESTED = {
    "by os.path": ("os.path.exists('/dev/nvidia0')", "/dev/davinci0"),
    "by a path": ("Path('/dev/nvidia0').exists()", "/dev/davinci0"),
    "by glob": ("glob.glob('/dev/nvidia*')", "/dev/davinci[0-9]*"),
    "the driver": ("os.access('/dev/nvidiactl', os.R_OK)", "/dev/davinci_manager"),
    "the toolkit": ("os.path.isdir('/usr/local/cuda-12.1')", "/usr/local/Ascend"),
}


@pytest.mark.parametrize(("test", "instead"), TESTED.values(), ids=TESTED)
def test_a_test_for_a_file_of_nvidia_is_offered_that_of_the_npu(test: str, instead: str) -> None:
    text = f"import torch\nplace = 'cuda' if {test} else 'cpu'\ntorch.zeros(1, device=place)\n"
    assert findings(text) == [("NPU904", "unsafe")]
    assert instead in migrated(text, unsafe=True)
    assert instead not in migrated(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("print('/dev/nvidia0')\n", id="a message"),
        pytest.param("if os.path.exists('/dev/nvidia_backup/x'):\n    pass\n", id="another path"),
        pytest.param(
            "if os.path.isdir('/usr/local/cuda'):\n    dirs.append('/usr/local/cuda')\n", id="a path"
        ),
        pytest.param(
            "if os.path.isdir('/usr/local/cuda'):\n    run(['nvcc', 'a.cu'])\n", id="the toolkit is used"
        ),
    ],
)
def test_a_path_that_shows_no_device_is_left(text: str) -> None:
    assert findings("import os\n" + text) == []
    assert findings("import os\nif os.path.isdir('/usr/local/cuda'):\n    pass\n") == [("NPU904", "unsafe")]


@pytest.mark.parametrize(
    "text",
    [
        "os.popen('nvidia-smi --query-gpu=name --format=csv')\n",
        "os.popen('nvidia-smi -L | wc -l')\n",
        "subprocess.check_output(['nvidia-smi', '--query-gpu=memory.used', '--format=csv'])\n",
        "subprocess.check_output('nvidia-smi -q -d MEMORY'.split())\n",
    ],
)
def test_what_asks_nvidia_smi_for_more_is_for_a_person(text: str) -> None:
    assert findings(f"import os, subprocess\n{text}") == [("NPU904", "manual")]
