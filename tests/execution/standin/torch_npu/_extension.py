"""The compiled half, loaded from where the test harness has built it."""

import importlib.machinery
import importlib.util
import os
import sys

from gpu2ascend_rules.model.versions import Version

from ._version import VERSION


def _load():
    path = os.environ["STANDIN_EXTENSION"]
    loader = importlib.machinery.ExtensionFileLoader("torch_npu_standin", path)
    spec = importlib.util.spec_from_file_location("torch_npu_standin", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["torch_npu_standin"] = module
    loader.exec_module(module)
    return module


library = _load()
library.configure(
    int(os.environ.get("STANDIN_NPU_COUNT", "2")),
    int(os.environ.get("STANDIN_NPU_MEMORY", str(2 << 30))),
    Version(2, 6) <= VERSION,
)
