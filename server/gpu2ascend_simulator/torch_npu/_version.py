"""The release of torch_npu that is simulated, and what is known of it.

``facts.json`` beside this module is written when a run is prepared (`gpu2ascend_simulator.preparation`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FACTS: dict[str, Any] = json.loads(Path(__file__).with_name("facts.json").read_text(encoding="utf-8"))
VERSION: tuple[int, ...] = tuple(int(part) for part in FACTS["version"].split("."))
"""Major, minor and patch number."""
RELEASE: str = FACTS["version"]

if VERSION[:2] == (1, 5):
    raise ModuleNotFoundError("No module named 'torch_npu': PyTorch 1.5.0 for Ascend has torch.npu itself")
