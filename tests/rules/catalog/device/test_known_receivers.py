"""What is known without `import torch`: lists of ordinals, libraries that build on torch, device tables."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated


@pytest.mark.parametrize("version", ["1.11.0", "2.0.1", "2.1.0", "2.2.0"])
@pytest.mark.parametrize(
    "ordinal",
    [
        "gpu_ids[0]",
        "self.gpu_ids[0]",
        "opt.gpu_ids[-1]",
        "args.device_ids[i]",
        "cfg.gpus[rank]",
        "gpu_list[0]",
    ],
)
@pytest.mark.parametrize("use", ["net.to({})", "torch.zeros(2, device={})", "torch.load(f, map_location={})"])
def test_an_item_of_a_list_of_ordinals_is_one(ordinal: str, use: str, version: str) -> None:
    after = migrated(f"import torch\nx = {use.format(ordinal)}\n", version)
    assert use.format(f"torch.device('npu', {ordinal})") in after


@pytest.mark.parametrize("version", ["2.5.1", "2.8.0", str(NEWEST)])
def test_newer_torch_takes_ordinals_of_any_device(version: str) -> None:
    text = "import torch\nnet.to(gpu_ids[0])\n"
    assert migrated(text, version) == text


@pytest.mark.parametrize("item", ["devices[0]", "gpu_ids[0:2]", "gpus['a']", "names[0]"])
def test_an_item_of_something_else_is_none(item: str) -> None:
    text = f"import torch\nnet.to({item})\n"
    assert migrated(text, "2.1.0") == text


MODULES = [
    "bitsandbytes.nn", "clip", "efficientnet_pytorch", "facenet_pytorch", "fairseq", "kornia", "lpips",
    "monai.losses", "monai.networks", "open_clip", "peft", "piq", "pretrainedmodels", "pytorch_lightning",
    "pytorch_msssim", "segmentation_models_pytorch", "sentence_transformers", "speechbrain", "timm",
    "torch_geometric.nn", "torchaudio", "torchmetrics", "torchvision", "transformers", "x_transformers",
]  # fmt: skip
"""Libraries whose objects are modules of torch, to which torch_npu gives ``npu()``."""
WRAPPERS = [
    "diffusers", "linear_operator", "pytorch3d.structures", "pytorch3d.transforms", "tensordict",
    "torch_geometric.data", "torch_geometric.datasets", "torch_geometric.loader", "torchrl.data",
    "ultralytics",
]  # fmt: skip
"""Libraries whose pipelines, wrappers and containers have a ``to()`` of their own, and no ``npu()``."""
NAMES = {
    "tensordict.nn": "npu", "tensordict.nn.TensorDictParams": "to", "torch.nn.utils.rnn.PackedSequence": "to",
    "torch.nn.utils.rnn.pack_padded_sequence": "to", "torch.nn.utils.rnn.pack_sequence": "to",
    "transformers.BatchEncoding": "to", "transformers.BatchFeature": "to",
}  # fmt: skip
"""What is otherwise than the rest of its library."""


@pytest.mark.parametrize(
    ("library", "moved"),
    [*((name, "m.npu()") for name in MODULES), *((name, "m.to('npu')") for name in WRAPPERS)],
)
@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
def test_what_a_library_on_torch_makes_moves(library: str, moved: str, version: str) -> None:
    after = migrated(f"import {library} as lib\nm = lib.Thing(1).eval()\nm.cuda()\n", version)
    assert f"{moved}\n" in after
    assert "import torch_npu" in after


def test_every_library_of_the_table_has_been_thought_of() -> None:
    known = sorted(row["library"] for row in load_tsv("torch_receivers"))
    assert known == sorted([*MODULES, *WRAPPERS, *NAMES])


@pytest.mark.parametrize(("name", "method"), NAMES.items())
def test_a_name_of_a_library_may_move_otherwise_than_the_rest(name: str, method: str) -> None:
    module, _, last = name.rpartition(".")
    text = f"import torch\nfrom {module} import {last} as Thing\nm = Thing(1)\nm.cuda()\n"
    if last == "nn":
        text = text.replace("Thing(1)", "Thing.TensorDictModule(1)")
    assert ("m.npu()" if method == "npu" else "m.to('npu')") in migrated(text)


@pytest.mark.parametrize(
    "made",
    [
        "from transformers import AutoModel as A\nm = A.from_pretrained('x', num_labels=2)\n",
        "import torchvision.models as models\nm = models.resnet18()\n",
        "import open_clip\nm, _, p = open_clip.create_model_and_transforms('x')\n",
        "import lpips\nclass L:\n    def __init__(self):\n        self.m = lpips.LPIPS()\n"
        "    def f(self):\n        self.m.cuda()\n        return self.m\nm = L().f()\n",
    ],
)
def test_however_it_is_made(made: str) -> None:
    assert ".cuda()" not in migrated(made + ("m.cuda()\n" if "class" not in made else ""))


@pytest.mark.parametrize("made", ["import lib\nm = lib.make()\n", "m = make()\n"])
def test_what_nothing_is_known_of_is_reported_and_stays(made: str) -> None:
    text = f"{made}m.cuda()\n"
    assert migrated(text) == text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("{'cuda:0': 'cuda:%d' % rank}", "{'cuda:0': 'npu:%d' % rank, 'npu:0': 'npu:%d' % rank}"),
        ("{'cuda:0': f'cuda:{r}'}", "{'cuda:0': f'npu:{r}', 'npu:0': f'npu:{r}'}"),
        ("{'cuda:0': 'cuda:{}'.format(r)}", "{'cuda:0': 'npu:{}'.format(r), 'npu:0': 'npu:{}'.format(r)}"),
        ("{'cuda:1': 'cuda:0', 'cuda:2': 'cuda:0'}",
         "{'cuda:1': 'npu:0', 'npu:1': 'npu:0', 'cuda:2': 'npu:0', 'npu:2': 'npu:0'}"),
        ("{'cuda:0': 'cpu'}", "{'cuda:0': 'cpu'}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("version", ["1.11.0", "2.0.1", "2.1.0", "2.8.0"])
def test_a_table_of_cuda_devices_is_one_of_npus(given: str, expected: str, version: str) -> None:
    assert f"map_location={expected})" in migrated(
        f"import torch\nw = torch.load(f, map_location={given})\n", version
    )


@pytest.mark.parametrize("version", ["1.8.1", "1.11.0", "2.1.0", str(NEWEST)])
def test_get_device_properties_exists_from_1_8_on(version: str) -> None:
    text = "import torch\np = torch.cuda.get_device_properties(0)\nprint(p.total_memory)\n"
    assert "torch_npu.npu.get_device_properties(0)" in migrated(text, version)
    assert check(SourceFile(migrated(text, version)), options_from({"version": version})) == ()
