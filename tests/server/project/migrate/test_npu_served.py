"""A project that serves NPUs beside CUDA keeps both, and says so in one finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.server.project.conftest import migrated_files

DEVICE = (
    "import torch\n\n\ndef is_cuda_available():\n    return torch.cuda.is_available()\n\n\n"
    "def is_npu_available():\n    return hasattr(torch, 'npu') and torch.npu.is_available()\n\n\n"
    "if is_npu_available():\n    DEVICE = 'npu'\nelif is_cuda_available():\n    DEVICE = 'cuda'\n"
    "else:\n    DEVICE = 'cpu'\n"
)
MODEL = (
    "import torch\n\n\nclass Sample:\n    def cuda(self):\n        self.x = self.x.cuda()\n"
    "        return self\n\n"
    "    def npu(self):\n        self.x = self.x.npu()\n        return self\n"
)
PROJECTS = {
    "functions": {"lib/device.py": DEVICE},
    "methods": {"lib/sample.py": MODEL, "lib/other.py": MODEL.replace("Sample", "Another")},
    "both": {"lib/device.py": DEVICE, "lib/sample.py": MODEL},
}


@pytest.mark.parametrize("version", ["2.1.0", "2.8.0", str(NEWEST)])
@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_both_twins_stay_and_one_finding_says_so(files: dict[str, str], version: str, tmp_path: Path) -> None:
    done = migrated_files(tmp_path, files, version=version)
    assert done.texts(files) == files
    assert done.log.count("NPU109") == 1
