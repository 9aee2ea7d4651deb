"""Distributed: texts that are back ends and texts that are not, versions, and rules working together."""

from __future__ import annotations

from functools import partial

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before
from tests.rules.fixing import migrated

ALL_VERSIONS = [str(version) for version in SUPPORTED_VERSIONS]


def codes(text: str, version: str = "2.8.0", **options: object) -> list[str]:
    return [item.code for item in check(SourceFile(text), options_from({"version": version, **options}))]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "import torch.distributed as dist\ndist.init_process_group('hccl', init_method='env://')\n"
            "dist.init_process_group('hccl', init_method='tcp://10.1.1.1:23456', rank=r, world_size=n)\n"
            "dist.init_process_group('gloo', init_method='file:///shared/file')\n",
            id="init-methods",
        ),
        pytest.param(
            "import torch.distributed as dist\ndist.barrier(device_ids=[local_rank])\n",
            id="barrier-device-ids",
        ),
        pytest.param(
            "from torch import nn\nmodel = nn.SyncBatchNorm.convert_sync_batchnorm(model)\n"
            "norm = nn.SyncBatchNorm(8)\n",
            id="synchronised-batch-norm",
        ),
        pytest.param(
            "from torch.nn.parallel import DistributedDataParallel as DDP\n"
            "model = DDP(model, device_ids=[rank], output_device=rank, broadcast_buffers=True)\n",
            id="distributed-data-parallel",
        ),
        pytest.param(
            "import torch.distributed as dist\ndist.all_reduce(t, op=dist.ReduceOp.AVG)\n", id="average"
        ),
        pytest.param(
            "import torch.distributed as dist\ndist.all_gather_object(out, x)\ndist.broadcast(t, 0)\n",
            id="objects",
        ),
        pytest.param(
            "NCCL_BACKEND = 'nccl'\nHCCL_BACKEND = 'hccl'\nif backend == 'nccl':\n    pass\n"
            "elif backend == 'hccl':\n    pass\n",
            id="hccl-beside-nccl",
        ),
        pytest.param(
            "import torch\ntorch.distributed.init_process_group('hccl', device_id=local_rank)\n",
            id="device-by-number",
        ),
        pytest.param(
            "import torch\nimport torch.distributed as dist\nt = torch.zeros(2, dtype=torch.float64)\n"
            "dist.all_gather(out, t)\ndist.broadcast(t, 0)\n",
            id="double-precision-without-a-reduction",
        ),
        pytest.param(
            "import torch, torch_npu\nimport torch.distributed as dist\ndef main(rank):\n"
            "    torch_npu.npu.set_device(rank)\ntorch.multiprocessing.spawn(main, nprocs=8)\n"
            "torch_npu.npu.set_device(dist.get_rank() % torch_npu.npu.device_count())\n",
            id="local-ranks",
        ),
        pytest.param("import torch.multiprocessing as mp\nmp.spawn(main, nprocs=8)\n", id="spawn"),
    ],
)
def test_left_alone(text: str) -> None:
    control = "import torch\ntorch.distributed.init_process_group('nccl')\n"
    assert found_before(control, text, partial(codes, advice=False)) == []


@pytest.mark.parametrize(
    "text",
    [
        "log.info('back end is nccl')\n",
        "print('nccl')\n",
        "parser.add_argument('--mode', help='nccl')\n",
        "version = getattr(torch.cuda, 'nccl').version()\n",
        "path = os.path.join(root, 'nccl')\n",
        "lib = ctypes.util.find_library('nccl')\n",
        "raise RuntimeError('nccl')\n",
        "x = b'nccl'\n",
        "times['nccl'] = 3\n",
        "url = 'https://developer.nvidia.com/nccl'\n",
    ],
)
def test_a_text_that_is_no_back_end_is_left_alone(text: str) -> None:
    control = "torch.distributed.init_process_group('nccl')\n"
    options = options_from({"version": "2.8.0", "select": ["NPU4"]})
    (found,) = check(SourceFile(f"import torch\n{text}{control}"), options)
    assert found.start > len(f"import torch\n{text}"), "the control alone is found"


@pytest.mark.parametrize(
    "text",
    [
        "backend = 'nccl'\n",
        "self.backend = 'nccl'\n",
        "args.dist_backend = 'nccl'\n",
        "cfg['backend'] = 'nccl'\n",
        "name = 'nccl'\ntorch.distributed.init_process_group(name)\n",
        "name = 'nccl'\ntorch.distributed.init_process_group(backend=name)\n",
        "name = 'nccl' if gpu else 'gloo'\n",
        "backend: str = 'nccl'\n",
        "def setup(backend: str = 'nccl'): ...\n",
        "def setup(name='nccl'):\n    torch.distributed.init_process_group(name)\n",
        "from torch.distributed import init_process_group as start\nstart('nccl')\n",
        "def setup(name):\n    torch.distributed.init_process_group(name)\nsetup('nccl')\n",
        "def get_backend():\n    return 'nccl'\n",
        "pick_backend = lambda: 'nccl'\n",
        "kind = args.backend or 'nccl'\n",
        "x = os.environ.get('DIST_BACKEND', 'nccl')\n",
        "if (b := 'nccl') and torch.distributed.new_group(backend=b):\n    pass\n",
        "@click.option('--backend', default='nccl')\ndef f(backend): ...\n",
        "backend: str = typer.Option('nccl')\n",
        "backend = attr.ib(default='nccl')\n",
        "if str(args.backend).lower() == 'nccl':\n    pass\n",
        "if torch.distributed.get_backend().startswith('nccl'):\n    pass\n",
        "match args.backend:\n    case 'nccl':\n        pass\n",
        "for backend in ['nccl', 'gloo']:\n    pass\n",
        "@pytest.mark.parametrize('backend', ['nccl', 'gloo'])\ndef test(backend): ...\n",
        "init_distributed_mode('nccl')\n",
        "torch.distributed.is_backend_available('nccl')\n",
        "backend = {'gpu': 'nccl', 'cpu': 'gloo'}[kind]\n",
    ],
)
def test_a_text_that_is_a_back_end_is_renamed(text: str) -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU401"]})
    outcome = apply_fixes(SourceFile(f"import torch\nimport torch_npu\n{text}"), options)
    assert outcome.text == f"import torch\nimport torch_npu\n{text.replace('nccl', 'hccl')}"


@pytest.mark.parametrize("text", ["start(0, 'nccl')\n", "return_code = f(mode='x', kind='nccl')\n"])
def test_where_the_file_does_not_tell_a_person_is_asked(text: str) -> None:
    (finding,) = check(SourceFile(f"import torch\n{text}"), options_from({"version": "2.8.0"}))
    assert finding.applicability is Applicability.UNSAFE


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_every_version_takes_hccl_and_loads_torch_npu(version: str) -> None:
    text = "import torch\ntorch.distributed.init_process_group('nccl')\n"
    loaded = "" if version == "1.5.0" else "import torch_npu\n"
    assert migrated(text, version) == (
        f"import torch\n{loaded}torch.distributed.init_process_group('hccl')\n"
    )


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_the_question_for_hccl_is_asked_where_the_version_has_it(version: str) -> None:
    text = "import torch\nok = torch.distributed.is_nccl_available()\n"
    has_it = version not in ("1.5.0", "1.8.1")
    assert ("is_hccl_available" in migrated(text, version)) is has_it
    assert ("NPU404" in codes(text, version)) is True


def test_both_halves_of_a_choice_of_back_ends_change() -> None:
    text = (
        "import torch.distributed as dist\n"
        "dist.init_process_group(backend='nccl' if dist.is_nccl_available() else 'gloo')\n"
    )
    assert migrated(text) == (
        "import torch.distributed as dist\nimport torch_npu\n"
        "dist.init_process_group(backend='hccl' if dist.is_hccl_available() else 'gloo')\n"
    )


def test_a_table_by_device_gets_an_entry_of_its_own_with_hccl() -> None:
    text = "import torch\nbackend = {'cpu': 'gloo', 'cuda': 'nccl'}.get(device.type)\n"
    assert migrated(text) == (
        "import torch\nbackend = {'cpu': 'gloo', 'cuda': 'nccl', 'npu': 'hccl'}.get(device.type)\n"
    )


def test_the_device_of_a_group_and_its_back_end_change_together() -> None:
    text = (
        "import torch\ntorch.distributed.init_process_group('nccl', device_id=torch.device('cuda', r))\n"
        "mesh = torch.distributed.init_device_mesh('cuda', (2, 4))\n"
    )
    assert migrated(text) == (
        "import torch\nimport torch_npu\n"
        "torch.distributed.init_process_group('hccl', device_id=torch.device('npu', r))\n"
        "mesh = torch.distributed.init_device_mesh('npu', (2, 4))\n"
    )


def test_a_sharded_model_gets_its_device_by_name_where_a_number_means_cuda() -> None:
    text = (
        "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
        "model = FSDP(model, device_id=torch.cuda.current_device())\n"
    )
    assert "device_id=torch.device('npu', torch_npu.npu.current_device())" in migrated(text, "2.2.0")
    assert "device_id=torch_npu.npu.current_device())" in migrated(text, "2.3.1")


def test_code_that_has_a_branch_for_the_npu_is_left_alone() -> None:
    text = (
        "import torch\nif is_npu_available():\n    backend = 'hccl'\nelif torch.cuda.is_available():\n"
        "    backend = 'nccl'\nelse:\n    backend = 'gloo'\n"
    )
    assert migrated(text) == text


def test_a_second_migration_changes_nothing() -> None:
    text = (
        "import torch\nimport torch.distributed as dist\nfrom torch.distributed import is_nccl_available\n"
        "p.add_argument('--dist-backend', default='nccl', choices=['nccl', 'gloo'])\n"
        "dist.init_process_group('cpu:gloo,cuda:nccl' if is_nccl_available() else 'gloo')\n"
        "assert dist.get_backend() in ('nccl', 'gloo')\nmodel = torch.nn.DataParallel(model)\n"
    )
    once = migrated(text, unsafe=True)
    assert "nccl" not in once.replace("'nccl', 'hccl'", "")
    assert migrated(once, unsafe=True) == once


def test_what_a_module_hands_on_keeps_its_name() -> None:
    text = "from torch.distributed import is_nccl_available\n__all__ = ['is_nccl_available']\n"
    assert migrated(text) == (
        "from torch_npu.distributed import is_hccl_available as is_nccl_available\n"
        "__all__ = ['is_nccl_available']\n"
    )


REDUCED = "import torch\nimport torch.distributed as dist\n%s\n"


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("r = args.rank or int(os.environ.get('RANK', 0))\ntorch.npu.set_device(r)", "r"),
        ("class C:\n    def f(self):\n        self.r = dist.get_rank()\n        torch.npu.set_device(self.r)",
         "self.r"),
        ("r = dist.get_rank()\nn = r % 8\ntorch.npu.set_device(n)", None),
        ("torch.npu.set_device(int(os.environ['RANK']))", "int(os.environ['RANK'])"),
        ("torch.npu.set_device(int(os.getenv('RANK')))", "int(os.getenv('RANK'))"),
        ("r = int(os.environ['LOCAL_RANK'])\ntorch.npu.set_device(r)", None),
        ("r = pick()\ntorch.npu.set_device(r)", None),
        ("r = table['card']\ntorch.npu.set_device(r)", None),
        ("torch.npu.set_device(int(pick()))", None),
        ("torch.npu.set_device(dist.get_rank(group=None))", "dist.get_rank(group=None)"),
        ("torch.npu.set_device(dist.get_rank(dist.group.WORLD))", "dist.get_rank(dist.group.WORLD)"),
        ("torch.npu.set_device(dist.get_rank(local_group))", None),
        ("torch.npu.set_device(int(dist.get_rank(group=local_group)))", None),
        ("torch.npu.set_device(dist.get_rank(*groups))", None),
        ("r = dist.get_rank(local_group)\ntorch.npu.set_device(r)", None),
    ],
)  # fmt: skip
def test_the_global_rank_is_known_by_what_made_it(code: str, shown: str | None) -> None:
    source = SourceFile("import os\n" + REDUCED % code)
    found = [item for item in check(source, options_from({"version": "2.8.0"})) if item.code == "NPU408"]
    expected = [("NPU408.rank", shown)] if shown is not None else []
    assert [(item.message.id, source.slice(item.start, item.end)) for item in found] == expected


SYMM = "import torch\nimport torch.distributed._symmetric_memory as symm_mem\n"


@pytest.mark.parametrize(
    "text",
    [
        SYMM + 'symm_mem.set_backend("NCCL")\n',
        SYMM + 'symm_mem.set_backend(backend="NCCL")\n',
        SYMM + 'backend = "NCCL"\nsymm_mem.set_backend(backend)\n',
        SYMM + 'def setup(backend="NCCL"):\n    symm_mem.set_backend(backend)\n',
        SYMM + 'if torch.cuda.is_available():\n    pass\nsymm_mem.set_backend("NVSHMEM" if x else "NCCL")\n',
        "from torch.distributed._symmetric_memory import set_backend as use\nuse('NCCL')\n",
        "import torch\ntorch.distributed._symmetric_memory.set_backend('NCCL')\n",
        "import torch\nfrom torch.distributed import _symmetric_memory\n"
        "_symmetric_memory.set_backend('NCCL')\n",
        "from torch._C._distributed_c10d import _SymmetricMemory as SM\nSM.set_backend('NCCL')\n",
        "import torch\nimport ray.util.collective as c\nc.init_collective_group(2, 0, backend='nccl')\n",
    ],
)
def test_a_back_end_of_something_else_is_reported_and_stays(text: str) -> None:
    for version in ("2.1.0", "2.8.0", str(NEWEST)):
        assert "CCL" not in migrated(text, version).replace("NCCL", "").replace("nccl", "")
        assert "hccl" not in migrated(text, version)
        assert "NPU401" in codes(text, version)


@pytest.mark.parametrize(
    "test", ["symm_mem.get_backend(d) == 'NCCL'", "(b := symm_mem.get_backend(d)) == 'NCCL'"]
)
def test_what_symmetric_memory_gives_is_no_back_end_of_a_group(test: str) -> None:
    assert "HCCL" not in migrated(f"{SYMM}if {test}:\n    pass\n")


def test_a_variable_holds_what_symmetric_memory_gave_it() -> None:
    assert "HCCL" not in migrated(f"{SYMM}backend = symm_mem.get_backend(d)\nok = backend == 'NCCL'\n")


def test_a_group_beside_symmetric_memory_changes() -> None:
    text = SYMM + "import torch.distributed as dist\nsymm_mem.set_backend('NCCL')\n"
    assert "init_process_group('hccl')" in migrated(text + "dist.init_process_group('nccl')\n")


def test_a_library_that_no_table_lists_is_asked_about() -> None:
    text = "import torch\nimport lib\nlib.set_backend('NCCL')\nlib.start(dist_backend='nccl')\n"
    assert migrated(text) == text
    assert codes(text) == ["NPU401", "NPU401"]


@pytest.mark.parametrize("written", ["'nccl'", "dist.Backend.NCCL"])
def test_a_branch_for_nccl_stays_where_another_one_is_for_hccl(written: str) -> None:
    choice = f"if backend == {written}:\n    pass\nelif backend == 'OTHER':\n    pass\n"
    text = f"import torch.distributed as dist\n{choice}"
    beside_hccl, beside_gloo = text.replace("OTHER", "hccl"), text.replace("OTHER", "gloo")
    options = options_from({"version": "2.8.0"})
    assert apply_fixes(SourceFile(beside_hccl), options).text == beside_hccl
    assert "backend == 'hccl'" in apply_fixes(SourceFile(beside_gloo), options).text


@pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
def test_the_class_for_options_of_nccl_has_a_counterpart_since_2_1(version: Version) -> None:
    text = "import torch.distributed as dist\no = dist.ProcessGroupNCCL.Options()\n"
    (finding,) = check(SourceFile(text), options_from({"version": str(version), "select": ["NPU405"]}))
    assert (finding.message.id == "NPU405.class") is (version >= Version(2, 1))


def test_back_ends_by_device_with_an_unknown_name_stay() -> None:
    """``ncclx`` is another back end, of which nothing is known; NCCL beside it is still found."""

    def text(backends: str) -> str:
        return f"import torch_npu\ntorch.distributed.init_process_group({backends!r})\n"

    imports = "import torch\n"
    found = found_before(text("cuda:nccl"), imports + text("cpu:gloo,cuda:ncclx"), codes)
    assert found == []
    assert migrated(imports + text("cpu:gloo,cuda:ncclx")) == imports + text("cpu:gloo,cuda:ncclx")
    assert migrated(imports + text("cuda:nccl,xpu:ncclx")) == imports + text("npu:hccl,xpu:ncclx")
