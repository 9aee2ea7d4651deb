"""A container of values uses none of them: what it holds is what it is read for."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

OPTIONS = options_from({"version": "2.8.0"})
TORCH = "import torch.distributed as dist\n"
CONTAINERS = {
    "of another framework": "import tensorflow as tf\nh = tf.contrib.training.HParams({})\n",
    "of a library": "from ml_collections import ConfigDict\nh = ConfigDict({})\n",
    "of argparse": "from argparse import Namespace\nh = Namespace({})\n",
    "of the standard library": "from types import SimpleNamespace\nh = SimpleNamespace({})\n",
    "of easydict": "from easydict import EasyDict as edict\nh = edict({})\n",
}


def found(text: str) -> list[str]:
    return [item.message.id for item in check(SourceFile(text), OPTIONS)]


@pytest.mark.parametrize("made", CONTAINERS.values(), ids=CONTAINERS)
def test_what_a_container_holds_is_what_it_is_read_for(made: str) -> None:
    backend = TORCH + made.format("comm='nccl'")
    assert "comm='hccl'" in migrated(f"{backend}dist.init_process_group(h.comm)\n")
    device = TORCH + made.format("place='cuda'")
    assert "place='npu'" in migrated(f"{device}import torch\ntorch.zeros(1, device=h.place)\n")
    assert "place='cuda'" in migrated(f"{device}print(h.place)\n")


@pytest.mark.parametrize("made", CONTAINERS.values(), ids=CONTAINERS)
def test_where_it_is_read_elsewhere_its_name_decides(made: str) -> None:
    assert "dist_backend='hccl'" in migrated(TORCH + made.format("dist_backend='nccl'"))
    assert "label='nccl'" in migrated(TORCH + made.format("label='nccl'"))


def test_a_container_in_a_file_of_another_framework_is_in_doubt() -> None:
    made = CONTAINERS["of another framework"]
    assert found(made.format("dist_backend='nccl'")) == ["NPU401.unsure"]
    assert found(made.format("device='cuda'")) == ["NPU201.unsure"]
    assert found(made.format("label='cuda', kind='nccl'")) == []


def test_a_consumer_of_another_framework_is_still_one() -> None:
    text = TORCH + "import tensorflow as tf\nh = tf.Strategy(dist_backend='nccl')\n"
    assert found(text) == ["NPU401.foreign"]
    assert found(text.replace("tf.Strategy", "tf.HParams")) == ["NPU401.backend"]
