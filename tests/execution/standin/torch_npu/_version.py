"""The version of torch_npu that the stand-in is."""

import os

from gpu2ascend_rules.model.versions import Version, choose_version

VERSION: Version = choose_version(os.environ["STANDIN_TORCH_NPU_VERSION"]).version

if Version(1, 5, 0) == VERSION:
    raise ModuleNotFoundError("No module named 'torch_npu': PyTorch 1.5.0 for Ascend has torch.npu itself")
